-- One row per identity of a purchase, and its owner's pseudonym once it has one.
CREATE TABLE IF NOT EXISTS purchases (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id BIGINT UNSIGNED NULL,
    bound_at BIGINT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_identity (source, app, environment, external_id),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- One row per identity of a purchase, and its owner's pseudonym once it has one; `recorded_at` is when it was first
-- stated. With the number first, the index of identities is the one that operators search by too. `touched` is as
-- in `users`.
CREATE TABLE IF NOT EXISTS purchases (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id BIGINT UNSIGNED NULL,
    bound_at BIGINT NULL,
    recorded_at BIGINT NOT NULL,
    touched BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (id),
    UNIQUE KEY by_external_id (external_id, source, app, environment),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

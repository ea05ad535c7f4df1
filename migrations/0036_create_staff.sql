-- A person who uses the dashboard, with the hash of the password and of the link that sets a new one. `touched` is
-- as in `users`.
CREATE TABLE IF NOT EXISTS staff (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(64) NOT NULL,
    role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    password VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    language VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    theme VARCHAR(8) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT NULL,
    slowed_at BIGINT NULL,
    link_hash BINARY(32) NULL,
    link_ends_at BIGINT NULL,
    touched BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (id),
    UNIQUE KEY by_name (name),
    UNIQUE KEY by_link (link_hash)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

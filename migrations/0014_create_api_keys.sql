-- A server's key: the SHA-256 of its text, which nobody keeps. A revoked one stays.
CREATE TABLE IF NOT EXISTS api_keys (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(64) NOT NULL,
    scopes VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    secret_hash BINARY(32) NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT NULL,
    last_used_at BIGINT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_secret_hash (secret_hash)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

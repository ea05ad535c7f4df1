-- Secrets of this installation, made once and sealed under the key-encryption key; `check_value` tells whether one was
-- opened with the right key.
CREATE TABLE IF NOT EXISTS installation_keys (
    name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    sealed_key VARBINARY(255) NOT NULL,
    check_value BINARY(32) NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

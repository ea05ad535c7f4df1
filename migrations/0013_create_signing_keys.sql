-- A key that entitlement tokens are signed with; its private half is sealed under the key-encryption key.
CREATE TABLE IF NOT EXISTS signing_keys (
    kid VARCHAR(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    generation INT UNSIGNED NOT NULL,
    public_jwk VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    sealed_key VARBINARY(255) NOT NULL,
    created_at BIGINT NOT NULL,
    signs_until BIGINT NOT NULL,
    retired_at BIGINT NULL,
    token_hours INT UNSIGNED NOT NULL,
    PRIMARY KEY (kid),
    UNIQUE KEY by_generation (generation)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

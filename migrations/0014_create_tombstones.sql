-- What is left of an erased person's account tokens: an HMAC that only the server's key can make again.
CREATE TABLE IF NOT EXISTS tombstones (
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    hmac BINARY(32) NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (kind, hmac)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

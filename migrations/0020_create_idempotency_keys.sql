-- A write that was asked for under a key, and the first answer once there is one. `claimant` names the attempt that is
-- at it, until `claimed_until`; a row without `expires_at` stays for ever. `subject` and `other_subject` are the user ids of
-- whom the write is about, `*` whoever it may name: it goes when one of them is erased.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    owner VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    idempotency_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    request_hash BINARY(32) NOT NULL,
    claimant BIGINT UNSIGNED NOT NULL,
    claimed_until BIGINT NOT NULL,
    status SMALLINT UNSIGNED NULL,
    body MEDIUMBLOB NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NULL,
    subject VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    other_subject VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    PRIMARY KEY (owner, idempotency_key),
    KEY by_expiry (expires_at),
    KEY by_subject (subject),
    KEY by_other_subject (other_subject)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

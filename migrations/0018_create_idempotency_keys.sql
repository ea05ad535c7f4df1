-- A write that was asked for under a key, and the first answer once there is one; the key and all that was asked stand
-- here as labels. `claimant` names the attempt that is at it, until `claimed_until`. `subject` and `other_subject` are
-- labels of the user ids of whom the write is about, `*` whoever it may name: it goes when one of them is erased.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    owner VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    idempotency_key VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    request_digest VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    claimant BIGINT UNSIGNED NOT NULL,
    claimed_until BIGINT NOT NULL,
    status SMALLINT UNSIGNED NULL,
    body MEDIUMBLOB NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    subject VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    other_subject VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    PRIMARY KEY (owner, idempotency_key),
    KEY by_expiry (expires_at),
    KEY by_subject (subject),
    KEY by_other_subject (other_subject)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Who did what to whom, append-only; each row's hash covers the one before it. `subject` is a person's pseudonym,
-- `details_digest` a salted digest of what `audit_notes` says.
CREATE TABLE IF NOT EXISTS audit_entries (
    id BIGINT UNSIGNED NOT NULL,
    at BIGINT NOT NULL,
    actor VARCHAR(128) NOT NULL,
    action VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    subject BIGINT UNSIGNED NULL,
    details_digest BINARY(32) NOT NULL,
    previous_hash BINARY(32) NOT NULL,
    hash BINARY(32) NOT NULL,
    PRIMARY KEY (id),
    KEY by_subject (subject)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Who did what to whom, append-only; each row's hash covers the one before it. `subject` is a person's pseudonym and
-- `other_subject` that of somebody else whom it concerns, `details_digest` a salted digest of what `audit_notes` says.
CREATE TABLE IF NOT EXISTS audit_entries (
    id BIGINT UNSIGNED NOT NULL,
    at BIGINT NOT NULL,
    actor VARCHAR(128) NOT NULL,
    action VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    subject BIGINT UNSIGNED NULL,
    other_subject BIGINT UNSIGNED NULL,
    details_digest BINARY(32) NOT NULL,
    previous_hash BINARY(32) NOT NULL,
    hash BINARY(32) NOT NULL,
    PRIMARY KEY (id),
    KEY by_subject (subject),
    KEY by_other_subject (other_subject),
    KEY by_action (action, subject),
    KEY by_actor (actor),
    KEY by_act (action),
    KEY by_time (at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

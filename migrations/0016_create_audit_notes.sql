-- What an audit entry says in words, with the salt of its digest: apart, so that it can be erased with the person.
CREATE TABLE IF NOT EXISTS audit_notes (
    entry_id BIGINT UNSIGNED NOT NULL,
    salt BINARY(16) NOT NULL,
    details TEXT NOT NULL,
    reason TEXT NULL,
    PRIMARY KEY (entry_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

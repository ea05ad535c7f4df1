-- The one place where a user id stands, beside the pseudonym that every other table holds. `legacy_token` is the label
-- of the account token of the legacy form that a numeric user id has; it stays when the user id goes. The rest is the
-- head of the person's ledger: how many entries, when the last was recorded, its hash. `touched` changes in a
-- transaction that relies on the row and writes nothing else of it, so that a Galera cluster finds conflicts.
CREATE TABLE IF NOT EXISTS users (
    pseudonym BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    legacy_token VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    created_at BIGINT NOT NULL,
    ledger_length BIGINT UNSIGNED NOT NULL DEFAULT 0,
    last_recorded_at BIGINT NOT NULL DEFAULT 0,
    head_hash BINARY(32) NOT NULL DEFAULT '',
    touched BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (pseudonym),
    UNIQUE KEY by_user_id (user_id),
    KEY by_legacy_token (legacy_token)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

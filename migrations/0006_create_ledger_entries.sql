-- The facts, append-only, in each person's own order. `content` is the whole fact as a JSON array; each row's hash
-- covers the one before it and everything else in the row. `note_digest` finds the words that go with the fact in
-- `notes`.
CREATE TABLE IF NOT EXISTS ledger_entries (
    user_id BIGINT UNSIGNED NOT NULL,
    seq BIGINT UNSIGNED NOT NULL,
    recorded_at BIGINT NOT NULL,
    effective_at BIGINT NOT NULL,
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    is_own_act BOOLEAN NOT NULL,
    purchase_id BIGINT UNSIGNED NULL,
    state_id BIGINT UNSIGNED NULL,
    content MEDIUMTEXT NOT NULL,
    note_digest BINARY(32) NULL,
    hash BINARY(32) NOT NULL,
    PRIMARY KEY (user_id, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

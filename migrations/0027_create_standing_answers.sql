-- The status of each user as it is sent, but for the user's id and the instant, with what it follows from: the length
-- of the ledger, the basis (the number of the answer's form and the newest catalogue version), the settings, and the
-- time in which it holds. A row that does not fit is never sent, so the table may be truncated at any time. `body` is
-- NULL if the answer is too long to be kept.
CREATE TABLE IF NOT EXISTS standing_answers (
    user_id BIGINT UNSIGNED NOT NULL,
    ledger_length BIGINT UNSIGNED NOT NULL,
    basis BIGINT UNSIGNED NOT NULL,
    settings VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    valid_from BIGINT NOT NULL,
    valid_until BIGINT NOT NULL,
    entity_tag VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    body MEDIUMBLOB NULL,
    PRIMARY KEY (user_id),
    KEY by_due (basis, valid_until)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

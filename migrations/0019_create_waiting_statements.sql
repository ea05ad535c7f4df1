-- What a source stated of a purchase that nobody has and that only ledgers hold otherwise, such as the state of a
-- renewal. It enters the ledger of whoever gets the purchase, and its row goes in the same transaction.
CREATE TABLE IF NOT EXISTS waiting_statements (
    purchase_id BIGINT UNSIGNED NOT NULL,
    statement_hash BINARY(32) NOT NULL,
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    statement TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (purchase_id, statement_hash)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

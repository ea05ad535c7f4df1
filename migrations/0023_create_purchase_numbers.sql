-- A number by which a source speaks of a purchase, such as that of an invoice: `target` is another number, or, where
-- `transaction_id` is not empty, the purchase with that transaction. A number may mean several transactions.
CREATE TABLE IF NOT EXISTS purchase_numbers (
    source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    number VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    target VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    transaction_id VARCHAR(600) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '',
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (number, source, app, environment, target, transaction_id),
    KEY by_target (target)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

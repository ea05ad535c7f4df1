-- Who had a purchase before its present owner: what is learned of it later enters their ledgers as well as the owner's.
CREATE TABLE IF NOT EXISTS purchase_holders (
    purchase_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (purchase_id, user_id),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- The lean baseline's three tables: whose each purchase is, what each gives until when, and who did what.
CREATE TABLE apple_iap_transactions (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    original_transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    purchased_at BIGINT NOT NULL,
    revoked_at BIGINT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_original_transaction_id (original_transaction_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE subscriptions (
    user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    original_transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    tier VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, original_transaction_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE audit_entries (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    action VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    details TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- A question of the App Store how much of a transaction was used, asked before it decides on a refund. `purchase` is
-- the original transaction id, `user_id` who had the purchase. It is open until `decided_at` is set; then `silence`
-- says why nothing was told, or is NULL if Apple took the answer. `refusal` is the code of Apple's error.
CREATE TABLE IF NOT EXISTS consumption_requests (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    purchase VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id BIGINT UNSIGNED NULL,
    asked_at BIGINT NOT NULL,
    deadline BIGINT NOT NULL,
    consent BOOLEAN NULL,
    decided_at BIGINT NULL,
    silence VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    is_delivered BOOLEAN NULL,
    share INT UNSIGNED NULL,
    preference VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    provides_samples BOOLEAN NULL,
    refusal BIGINT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_transaction (transaction_id, environment, app, asked_at),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

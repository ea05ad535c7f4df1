-- One row per signed state of a transaction; never edited but for the owner. `text_of` names the row that keeps the
-- signed text when this row's content repeats an earlier one's; `unreadable` the members of the text that decide nothing
-- and could not be read.
CREATE TABLE IF NOT EXISTS apple_iap_transactions (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    purchase_id BIGINT UNSIGNED NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    original_transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    period_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    user_id BIGINT UNSIGNED NULL,
    product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    product_type VARCHAR(64) NOT NULL,
    purchase_at BIGINT NOT NULL,
    original_purchase_at BIGINT NOT NULL,
    expires_at BIGINT NULL,
    quantity INT NOT NULL,
    is_family_shared BOOLEAN NOT NULL,
    is_upgraded BOOLEAN NOT NULL,
    revocation_at BIGINT NULL,
    share INT NULL,
    app_account_token BINARY(16) NULL,
    app_transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    signed_at BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    content_hash BINARY(32) NOT NULL,
    jws_hash BINARY(32) NOT NULL,
    text_of BIGINT UNSIGNED NULL,
    unreadable VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_state (purchase_id, transaction_id, signed_at, content_hash),
    KEY by_jws_hash (jws_hash)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

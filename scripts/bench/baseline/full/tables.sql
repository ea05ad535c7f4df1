-- The baseline's own tables: the facts in columns, joined when a user is read.
CREATE TABLE users (
    pseudonym BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    created_at BIGINT NOT NULL,
    ledger_length BIGINT UNSIGNED NOT NULL DEFAULT 0,
    last_recorded_at BIGINT NOT NULL DEFAULT 0,
    head_hash BINARY(32) NOT NULL DEFAULT '',
    PRIMARY KEY (pseudonym),
    UNIQUE KEY by_user_id (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE purchases (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id BIGINT UNSIGNED NULL,
    bound_at BIGINT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_external_id (external_id, source, app, environment),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE apple_iap_transactions (
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
    PRIMARY KEY (id),
    UNIQUE KEY by_state (purchase_id, transaction_id, signed_at, content_hash),
    KEY by_transaction_id (transaction_id),
    KEY by_account (app_transaction_id, user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE signed_texts (
    state_id BIGINT UNSIGNED NOT NULL,
    jws MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    PRIMARY KEY (state_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE ledger_entries (
    user_id BIGINT UNSIGNED NOT NULL,
    seq BIGINT UNSIGNED NOT NULL,
    recorded_at BIGINT NOT NULL,
    effective_at BIGINT NOT NULL,
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    purchase_id BIGINT UNSIGNED NULL,
    state_id BIGINT UNSIGNED NULL,
    hash BINARY(32) NOT NULL,
    PRIMARY KEY (user_id, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE subscriptions (
    purchase_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    tier VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    starts_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (purchase_id, user_id),
    KEY by_user_and_source (user_id, source),
    KEY by_expiry (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- A projection of the ledgers for dashboards and indexes: dropped and rebuilt, it holds the same bytes. A purchase that
-- moved gave something to each of its holders: a row each. A grant may be of no product.
CREATE TABLE IF NOT EXISTS subscriptions (
    purchase_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    tier VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    starts_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    anomaly VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    PRIMARY KEY (user_id, purchase_id),
    KEY by_expiry (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

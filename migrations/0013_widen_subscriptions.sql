-- A purchase that moved gave something to each of its holders: a row each. A grant may be of no product.
ALTER TABLE IF EXISTS subscriptions
    MODIFY product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    DROP PRIMARY KEY,
    ADD PRIMARY KEY (purchase_id, user_id);

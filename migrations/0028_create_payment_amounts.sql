-- What was paid and what went back, as a store told it last under a number, such as that of a charge. `target` is the
-- number that the payment is for. Amounts are in thousandths of the currency's unit; where `is_raw`, that unit is not
-- known, and they are as the store wrote them. They decide nothing.
CREATE TABLE IF NOT EXISTS payment_amounts (
    source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    number VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    target VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    paid BIGINT NULL,
    refunded BIGINT NOT NULL,
    currency VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    is_raw BOOLEAN NOT NULL,
    made_at BIGINT NOT NULL,
    told_at BIGINT NOT NULL,
    PRIMARY KEY (number, source, app, environment),
    KEY by_target (target)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BlockCacheTest {
    @Test
    void whatIsSetHolds() {
        assertThat(BlockCache.bytes(5L << 20)).isEqualTo(5L << 20);
    }

    @Test
    void whatIsNotSetIsAShareOfTheMachineWithinBounds() {
        assertThat(BlockCache.ofMachine(512L << 20)).isEqualTo(64L << 20);
        assertThat(BlockCache.ofMachine(8L << 30)).isEqualTo(512L << 20);
        assertThat(BlockCache.ofMachine(256L << 30)).isEqualTo(1L << 30);
        assertThat(BlockCache.bytes(0)).isBetween(BlockCache.BYTES_MIN, BlockCache.BYTES_MAX);
    }
}

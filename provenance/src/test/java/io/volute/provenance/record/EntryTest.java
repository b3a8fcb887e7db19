package io.volute.provenance.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EntryTest {
    private static final long SEED = 5;

    @Test
    void isReadAsItWasWritten() throws RefusedException {
        Random random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            Entry entry = Samples.entry(random);
            assertThat(Entry.decode(entry.encode())).as("seed %d, %d", SEED, i).isEqualTo(entry);
        }
    }

    /** No two encodings of one value: what is read from other bytes is written as those bytes. */
    @Test
    void hasOneEncoding() {
        Random random = new Random(SEED);
        int read = 0;
        for (int i = 0; i < 60; i++) {
            Entry entry = Samples.entry(random);
            byte[] bytes = entry.encode().toArray();
            for (int bit = 0; bit < bytes.length * 8; bit++) {
                bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
                Bytes flipped = Bytes.of(bytes);
                try {
                    Entry other = Entry.decode(flipped);
                    assertThat(other).isNotEqualTo(entry);
                    assertThat(other.encode()).isEqualTo(flipped);
                    read++;
                } catch (RefusedException e) {
                    assertThat(e).hasMessageContaining("entry, at byte");
                }
                bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            }
        }
        assertThat(read).isPositive();
    }

    @Test
    void refusesWhatIsCutOffOrTooLong() {
        byte[] bytes = Samples.entry(new Random(SEED)).encode().toArray();
        for (int length = 0; length < bytes.length; length++) {
            Bytes cut = Bytes.of(Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> Entry.decode(cut)).isInstanceOf(RefusedException.class);
        }
        assertThatThrownBy(() -> Entry.decode(Bytes.of(Arrays.copyOf(bytes, bytes.length + 1))))
                .hasMessageContaining("left over");
    }

    @Test
    void refusesVersionsAndAlgorithmsThatItDoesNotKnow() {
        byte[] bytes = Samples.entry(new Random(SEED)).encode().toArray();
        assertThatThrownBy(() -> Entry.decode(changed(bytes, 0, 2)))
                .hasMessage("entry, at byte 1: version 2 is unknown; known is 1");
        assertThatThrownBy(() -> Entry.decode(changed(bytes, 1, 9)))
                .hasMessageContaining("hash algorithm 9 is unknown");
        assertThatThrownBy(() -> Entry.decode(changed(bytes, 2, 3)))
                .hasMessageContaining("construction 3 is unknown");
        assertThatThrownBy(() -> Entry.decode(changed(bytes, 44, 99)))
                .hasMessageContaining("kind 99 is unknown");
    }

    private static Bytes changed(byte[] bytes, int index, int value) {
        byte[] changed = bytes.clone();
        changed[index] = (byte) value;
        return Bytes.of(changed);
    }
}

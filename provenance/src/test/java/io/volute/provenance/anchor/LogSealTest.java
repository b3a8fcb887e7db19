package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.History;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class LogSealTest {
    private static final Hash LINE = Hash.ofHex("ab".repeat(32));

    private final KeyList keys = History.keys();

    private LogSeal seal(long commit, SigningKey... signers) {
        return LogSeal.sign(keys.storeId(), 7, LINE, 1_000, commit, List.of(signers));
    }

    @Test
    void isReadAsItWasWrittenAndVerified() throws RefusedException {
        LogSeal seal = seal(2_000, History.POST_QUANTUM, History.STORE);
        LogSeal read = LogSeal.decode(seal.encode());
        assertThat(read).isEqualTo(seal);
        assertThat(read.wrong(keys)).isEmpty();
        assertThat(read.body().sequence()).isEqualTo(7);
        assertThat(read.body().hash()).isEqualTo(LINE);
    }

    @Test
    void isOfNobodyButTheStoreWhileItsKeyIsValid() {
        assertThat(seal(2_000, History.ALICE).wrong(keys)).hasSize(1);
        assertThat(seal(2_000, History.OLD_STORE).wrong(keys)).hasSize(1);
        assertThat(seal(History.ROTATED - 1, History.OLD_STORE).wrong(keys)).isEmpty();
        Bytes other = Bytes.of(new byte[16]);
        assertThat(LogSeal.sign(other, 7, LINE, 1, 2_000, List.of(History.STORE)).wrong(keys))
                .containsExactly("is of another store");
    }

    @Test
    void noSignatureMayBeLeftOut() {
        LogSeal both = seal(2_000, History.STORE, History.POST_QUANTUM);
        LogSeal one = seal(2_000, History.STORE);
        assertThat(new LogSeal(both.body(), one.signatures()).wrong(keys)).hasSize(2);
    }

    /** Neither can a signature of something else serve. */
    @Test
    void everyBitCounts() {
        byte[] good = seal(2_000, History.STORE).encode().toArray();
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(LogSeal.decode(Bytes.of(bad)).wrong(keys)).as("bit " + bit).isNotEmpty();
            } catch (RefusedException e) {
                assertThat(e).hasMessageContaining("seal of a log");
            }
        }
    }

    @Test
    void nothingIsMissingAndNothingFollows() {
        byte[] good = seal(2_000, History.STORE).encode().toArray();
        for (int length = 0; length < good.length; length++) {
            Bytes cut = Bytes.of(Arrays.copyOf(good, length));
            assertThatThrownBy(() -> LogSeal.decode(cut)).isInstanceOf(RefusedException.class);
        }
        Bytes longer = Bytes.of(Arrays.copyOf(good, good.length + 1));
        assertThatThrownBy(() -> LogSeal.decode(longer)).isInstanceOf(RefusedException.class);
    }
}

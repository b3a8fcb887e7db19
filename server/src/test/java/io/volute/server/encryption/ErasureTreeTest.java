package io.volute.server.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Secrets of which single ones can be destroyed. */
final class ErasureTreeTest {
    private static final ErasureTree WHOLE = ErasureTree.of(Bytes.of(new byte[32]));

    private static ErasureTree copy(ErasureTree tree) {
        ByteWriter out = new ByteWriter();
        tree.encode(out);
        ByteReader in = new ByteReader(out.toBytes(), "tree");
        try {
            ErasureTree read = ErasureTree.decode(in);
            in.end();
            return read;
        } catch (RefusedException e) {
            throw new AssertionError(e);
        }
    }

    /** Objects are encrypted with these secrets: another derivation would lose them. */
    @Test
    void theSecretsOfARootNeverChange() {
        assertThat(HexFormat.of().formatHex(WHOLE.secret(0).orElseThrow()))
                .isEqualTo("6dfd42768d56d85fe3813b52ab2d1a365df018a4ad653529a80665ca13ce00ab");
        assertThat(HexFormat.of().formatHex(WHOLE.secret(0xFEDC_BA98_7654_3210L).orElseThrow()))
                .isEqualTo("ad417a7248fecc9e6566c9edd3b21485af1d9cdd3a6a91e7ca46f484ddb932ab");
    }

    @Test
    void aDestroyedLeafIsGoneAndEveryOtherStays() {
        Random random = new Random(20_261_125);
        List<Long> gone = new ArrayList<>();
        List<Long> kept = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            long leaf = random.nextLong();
            gone.add(leaf);
            for (int bit = 0; bit < Long.SIZE; bit++) {
                kept.add(leaf ^ 1L << bit);
            }
        }
        ErasureTree tree = WHOLE;
        for (int i = 0; i < gone.size(); i += 3) {
            tree = copy(tree.without(gone.subList(i, i + 3)));
        }
        for (long leaf : gone) {
            assertThat(tree.secret(leaf)).isEmpty();
        }
        for (long leaf : kept) {
            assertThat(tree.secret(leaf).orElseThrow()).isEqualTo(WHOLE.secret(leaf).orElseThrow());
        }
    }

    @Test
    void neighboursAndBothEndsCanBeDestroyed() {
        ErasureTree tree = WHOLE.without(List.of(0L, 1L, 2L, 3L, -1L, 0L));
        for (long leaf : new long[] {0, 1, 2, 3, -1}) {
            assertThat(tree.secret(leaf)).isEmpty();
        }
        for (long leaf : new long[] {4, -2, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThat(tree.secret(leaf)).isPresent();
        }
        assertThat(tree.without(List.of(0L)).secret(4).orElseThrow())
                .isEqualTo(tree.secret(4).orElseThrow());
    }

    /** Erasure means that no kept seed leads to a destroyed leaf. */
    @Test
    void noKeptSeedIsOnThePathOfADestroyedLeaf() {
        long leaf = 0x0123_4567_89AB_CDEFL;
        ByteWriter out = new ByteWriter();
        WHOLE.without(List.of(leaf)).encode(out);
        byte[] encoded = out.toBytes().toArray();
        byte[] seed = new byte[32];
        for (int depth = 0; depth <= 32; depth++) {
            assertThat(indexOf(encoded, seed)).isEqualTo(-1);
            if (depth < 32) {
                seed = ErasureTree.child(seed, (int) (leaf >>> (62 - 2 * depth)) & 3);
            }
        }
        assertThat(seed).isEqualTo(WHOLE.secret(leaf).orElseThrow());
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void aDamagedTreeIsRefused() {
        ByteWriter out = new ByteWriter().u8(1).u32(1).raw(new byte[] {0, 0, 0, 0, 0, 0, 0, 1});
        Bytes misplaced = out.u8(3).raw(new byte[32]).toBytes();
        assertThatThrownBy(() -> ErasureTree.decode(new ByteReader(misplaced, "tree")))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("out of place");
    }
}

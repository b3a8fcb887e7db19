package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.History;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class HeadsFileTest {
    private static final int BEGIN = 9 + 8;
    private static final int RECORD = 32 + 8 + 32;

    private final Random random = new Random(61);

    private static byte[] write(Map<Hash, ChainHead> heads) throws IOException {
        List<Hash> order = new ArrayList<>(heads.keySet());
        Collections.reverse(order);
        MapScan scan = new MapScan(HeadSets.inOrder(order, heads), 7 * 80);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        MapRoot written = HeadsFile.write(scan, heads.size(), file);
        assertThat(written).isEqualTo(HeadSets.inMemory(heads).mapRoot());
        return file.toByteArray();
    }

    private static MapRoot read(byte[] file) throws IOException {
        return HeadsFile.read(new ByteArrayInputStream(file), (chainId, head) -> {});
    }

    private static Checkpoint checkpoint(MapRoot map) throws RefusedException {
        return Checkpoint.sign(
                Optional.empty(),
                7,
                2_000,
                map,
                History.keys(),
                List.of(History.STORE, History.POST_QUANTUM));
    }

    private static byte[] record(Hash chainId, ChainHead head) {
        ByteWriter out = new ByteWriter().hash(chainId);
        head.encode(out);
        return out.toBytes().toArray();
    }

    /** A file with these records, canonical or not. */
    private static byte[] file(long count, byte[]... records) {
        ByteWriter out = new ByteWriter().raw(HeadsFile.MAGIC).u64(count);
        for (byte[] each : records) {
            out.raw(each);
        }
        return out.toBytes().toArray();
    }

    @Test
    void whatIsReadIsWhatWasWritten() throws IOException {
        for (int count : new int[] {0, 1, 2, 3, 50, 1_000}) {
            TreeMap<Hash, ChainHead> heads = HeadSets.crowded(random, count);
            byte[] file = write(heads);
            assertThat(file).hasSize(BEGIN + count * RECORD);
            Map<Hash, ChainHead> found = new TreeMap<>();
            MapRoot root = HeadsFile.read(new ByteArrayInputStream(file), found::put);
            assertThat(found).isEqualTo(heads);
            assertThat(root).isEqualTo(HeadSets.inMemory(heads).mapRoot());
            assertThat(CheckpointAudit.heads(checkpoint(root), root)).isEmpty();
        }
    }

    @Test
    void chainsThatAreMissingAddedOrBehindAreSeen() throws IOException {
        TreeMap<Hash, ChainHead> heads = HeadSets.spread(random, 30);
        Checkpoint checkpoint = checkpoint(read(write(heads)));
        for (Hash id : heads.keySet()) {
            TreeMap<Hash, ChainHead> other = new TreeMap<>(heads);
            ChainHead head = other.remove(id);
            assertThat(CheckpointAudit.heads(checkpoint, read(write(other))))
                    .containsExactly(
                            "checkpoint 0 has 30 chains, not 29", "checkpoint 0 has other heads");
            other.put(id, new ChainHead(head.sequence() ^ 1, head.link()));
            assertThat(CheckpointAudit.heads(checkpoint, read(write(other))))
                    .containsExactly("checkpoint 0 has other heads");
            other.put(id, head);
            other.put(HeadSets.parting(random, id, 200), head);
            assertThat(CheckpointAudit.heads(checkpoint, read(write(other)))).hasSize(2);
        }
    }

    @Test
    void anyFlippedBitIsSeen() throws IOException {
        byte[] file = write(HeadSets.crowded(random, 4));
        Checkpoint checkpoint = checkpoint(read(file));
        for (int bit = 0; bit < file.length * 8; bit++) {
            file[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                assertThat(CheckpointAudit.heads(checkpoint, read(file)))
                        .as("bit %d", bit)
                        .isNotEmpty();
            } catch (RefusedException e) {
                assertThat(e).hasMessageContaining("heads file");
            }
            file[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    @Test
    void aFileOfAnyOtherLengthIsRefused() throws IOException {
        byte[] file = write(HeadSets.spread(random, 3));
        for (int length = 0; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> read(cut))
                    .as("%d bytes", length)
                    .isInstanceOf(RefusedException.class);
        }
        assertThatThrownBy(() -> read(Arrays.copyOf(file, file.length + 1)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("more than 3");
    }

    @Test
    void onlyTheCanonicalFileIsRead() throws IOException {
        ChainHead head = HeadSets.head(random);
        List<Hash> ids = List.copyOf(HeadSets.spread(random, 2).keySet());
        byte[] low = record(ids.getFirst(), head);
        byte[] high = record(ids.getLast(), head);
        assertThat(read(file(2, low, high)).heads()).isEqualTo(2);
        for (byte[] bad :
                List.of(
                        file(2, high, low),
                        file(2, low, low),
                        file(1, low, high),
                        file(3, low, high),
                        file(Long.MAX_VALUE, low, high))) {
            assertThatThrownBy(() -> read(bad)).isInstanceOf(RefusedException.class);
        }
        byte[] negativeCount = file(2, low, high);
        negativeCount[9] = (byte) 0x80;
        assertThatThrownBy(() -> read(negativeCount)).hasMessageContaining("2^63");
        byte[] negativeSequence = file(2, low, high);
        negativeSequence[BEGIN + RECORD + 32] |= (byte) 0x80;
        assertThatThrownBy(() -> read(negativeSequence))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("record 1")
                .hasMessageContaining("2^63");
    }

    @Test
    void onlyTheCanonicalFileIsWritten() {
        TreeMap<Hash, ChainHead> heads = HeadSets.spread(random, 5);
        Heads ascending = HeadSets.inOrder(List.copyOf(heads.keySet()), heads);
        Heads descending = HeadSets.inOrder(List.copyOf(heads.descendingKeySet()), heads);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        assertThatThrownBy(() -> HeadsFile.write(descending, 5, file))
                .hasMessageContaining("out of order");
        assertThatThrownBy(() -> HeadsFile.write(ascending, 6, file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("5 heads, not 6");
    }
}

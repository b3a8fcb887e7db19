package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.anchor.Heads;
import io.volute.provenance.anchor.TwinMapScan;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The heads of all chains as of a commit, from the rows in the index, without reads of the log.
 * Entries never change, so the heads are the same each time.
 */
final class StoreHeads implements Heads {
    private static final byte[] NOTHING = {};

    private final RecordStore cube;
    private final BucketNames names;
    private final Bytes storeId;
    private final long sequence;
    private final BooleanSupplier goesOn;

    /**
     * Creates the heads.
     *
     * @param sequence sequence of the last commit that counts
     * @param goesOn called for each chain; when it returns false, the walk fails
     */
    StoreHeads(RecordStore cube, Bytes storeId, long sequence, BooleanSupplier goesOn) {
        this.cube = cube;
        this.names = BucketNames.read(cube);
        this.storeId = storeId;
        this.sequence = sequence;
        this.goesOn = goesOn;
    }

    /** The last entry of a chain so far. */
    private record Last(byte[] key, byte[] summary) {
        ChainHead head() {
            return new ChainHead(RowKeys.lastNumber(key), EntryRow.decode(summary).link());
        }

        boolean isOfChain(byte[] other) {
            int base = key.length - RowKeys.NUMBER_BYTES;
            return other.length == key.length && Arrays.equals(key, 0, base, other, 0, base);
        }
    }

    /**
     * Visits all heads.
     *
     * @throws IOException when {@code goesOn} returns false
     */
    @Override
    public void forEach(Visitor visitor) throws IOException {
        since(sequence).forEach((chainId, then, now) -> visitor.head(chainId, now));
    }

    /**
     * Returns the same chains, with their heads as of an earlier commit.
     *
     * @param earlier sequence of that commit
     */
    TwinMapScan.Chains since(long earlier) {
        return visitor -> {
            Optional<Last> then = Optional.empty();
            Optional<Last> now = Optional.empty();
            try (RecordCursor cursor = cube.scan(ENTRIES, NOTHING, NOTHING)) {
                while (cursor.next()) {
                    long commit = cursor.record().sequence();
                    if (commit <= sequence) {
                        byte[] key = cursor.key();
                        if (now.isPresent() && !now.get().isOfChain(key)) {
                            visit(visitor, then, now.get());
                            then = Optional.empty();
                        }
                        now = Optional.of(new Last(key, cursor.record().summary()));
                        then = commit <= earlier ? now : then;
                    }
                }
            }
            if (now.isPresent()) {
                visit(visitor, then, now.get());
            }
        };
    }

    private void visit(TwinMapScan.Chains.Visitor visitor, Optional<Last> then, Last now)
            throws IOException {
        if (!goesOn.getAsBoolean()) {
            throw new IOException("the store is closing");
        }
        byte[] base = Arrays.copyOf(now.key, now.key.length - RowKeys.NUMBER_BYTES);
        ChainIdentity identity = names.identity(storeId, base);
        visitor.chain(identity.chainId(), then.map(Last::head), now.head());
    }
}

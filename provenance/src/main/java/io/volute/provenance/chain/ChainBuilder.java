package io.volute.provenance.chain;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.SpiralShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Appends entries to one chain. Not thread-safe. */
public final class ChainBuilder {
    private final ChainIdentity identity;
    private final Hash chainId;
    private final ChainState state;

    /** A new chain. */
    public ChainBuilder(ChainIdentity identity, SpiralShape shape) {
        this(identity, new ChainState(shape));
    }

    private ChainBuilder(ChainIdentity identity, ChainState state) {
        this.identity = identity;
        chainId = identity.chainId();
        this.state = state;
    }

    /** Goes on behind the end of a chain. */
    public static ChainBuilder resume(
            ChainIdentity identity, SpiralShape shape, ChainTip tip, OlderLinks older) {
        return new ChainBuilder(identity, new ChainState(shape, tip, older));
    }

    public ChainIdentity identity() {
        return identity;
    }

    /** Empty before the first entry. */
    public Optional<ChainHead> head() {
        return state.head();
    }

    /**
     * The end as it is now.
     *
     * @throws java.util.NoSuchElementException when there is no entry
     */
    public ChainTip tip() {
        return state.tip();
    }

    /** The sequence of the next entry; its key material depends on it. */
    public long nextSequence() {
        return state.next();
    }

    /** Entries whose links it holds: at most its reach, and the last one of each kind. */
    public int remembered() {
        return state.remembered();
    }

    /**
     * Adds an entry; it is evidence of nothing before its batch is signed.
     *
     * @param signers who will sign the batch, ascending
     * @throws IllegalArgumentException when the commit sequence goes back
     * @throws IOException when links of older entries cannot be read; nothing was added
     */
    public PendingEntry append(Event event, List<SignerId> signers) throws IOException {
        if (event.commitSequence() < state.commitSequence()) {
            throw new IllegalArgumentException(
                    "commit sequence "
                            + event.commitSequence()
                            + " after "
                            + state.commitSequence());
        }
        Entry.Placement placement =
                new Entry.Placement(
                        state.shape(),
                        chainId,
                        state.next(),
                        event.commitSequence(),
                        event.timeMillis(),
                        state.lastOfKind(event.kind()));
        Entry entry =
                new Entry(
                        placement,
                        event.kind(),
                        event.versionId(),
                        event.content(),
                        event.principal(),
                        event.details(),
                        signers,
                        event.attestation(),
                        event.source(),
                        event.slots());
        Bytes encoded = entry.encode();
        Hash entryHash = Entry.hash(encoded);
        List<Hash> links = recordLinks(entry, entryHash);
        Hash signed = Spiral.signedLink(state.shape(), entryHash, links);
        state.append(
                event.kind(),
                event.commitSequence(),
                ownLinks(state.shape(), signed, links),
                signed);
        return new PendingEntry(identity, encoded, entry, links, signed, event.disclosure());
    }

    private List<Hash> recordLinks(Entry entry, Hash entryHash) throws IOException {
        List<Hash> previous = state.previous(entry.placement());
        return switch (state.shape().construction()) {
            case ONE_LINK -> previous;
            case LINK_PER_DIMENSION -> {
                Iterator<Hash> next = previous.iterator();
                List<Integer> present = Spiral.present(entry.placement());
                List<Hash> links = new ArrayList<>();
                for (int each = 0; each < state.shape().dimensions(); each++) {
                    Optional<Hash> before =
                            present.contains(each) ? Optional.of(next.next()) : Optional.empty();
                    links.add(Spiral.dimension(each, entryHash, before));
                }
                yield links;
            }
        };
    }

    private static List<Hash> ownLinks(SpiralShape shape, Hash signed, List<Hash> recordLinks) {
        return switch (shape.construction()) {
            case ONE_LINK -> List.of(signed);
            case LINK_PER_DIMENSION -> recordLinks;
        };
    }
}

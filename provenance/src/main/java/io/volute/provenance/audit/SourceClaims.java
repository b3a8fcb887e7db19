package io.volute.provenance.audit;

import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.Source;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sources that copies and restores of an export name, compared with the entries of the same
 * export. A source in a chain that the export lacks cannot be compared, and is counted. Not
 * thread-safe.
 */
public final class SourceClaims {
    /** A forger's export must not fill the heap; sources beyond these are counted. */
    private static final int COUNT_MAX = 100_000;

    private final Map<Hash, Map<Long, List<Claim>>> claims = new HashMap<>();

    /** The last entry of each chain that the export contains and that a claim refers to. */
    private final Map<Hash, End> ends = new HashMap<>();

    private int count;
    private long unverified;

    /**
     * An entry that names a source, and the link that it claims for the source entry.
     *
     * @param number of its chain in the export
     */
    private record Claim(String chain, int number, long sequence, Hash link) {}

    /**
     * The last entry of a chain.
     *
     * @param number of the chain in the export
     */
    private record End(int number, long sequence) {}

    /** A finding of the chain whose entry names the source. */
    public record Found(String chain, Finding finding) {}

    private SourceClaims() {}

    /**
     * Collects the claims of an export. Ignores damaged data, which the audit of the export
     * reports.
     *
     * @param export at its beginning
     */
    public static SourceClaims read(InputStream export) throws IOException {
        SourceClaims claims = new SourceClaims();
        try {
            ExportReader frames = new ExportReader(export);
            String chain = "";
            int number = 0;
            for (Optional<Frame> next = frames.next(); next.isPresent(); next = frames.next()) {
                Bytes payload = next.get().payload();
                if (next.get().type() == Frame.Type.CHAIN.code()) {
                    chain = ChainIdentity.decode(payload).toString();
                    number++;
                } else if (next.get().type() == Frame.Type.ENTRY.code()) {
                    claims.collect(chain, number, payload);
                }
            }
        } catch (RefusedException e) {
            return claims;
        }
        return claims;
    }

    private void collect(String chain, int number, Bytes record) {
        try {
            EventKind kind = EntryRecord.peek(record).kind();
            if (kind != EventKind.COPY && kind != EventKind.RESTORE) {
                return;
            }
            Entry entry = EntryRecord.decode(record).entry();
            if (entry.source().isEmpty()) {
                return;
            }
            if (count == COUNT_MAX) {
                unverified++;
                return;
            }
            count++;
            Source source = entry.source().get();
            ChainHead head = source.head();
            claims.computeIfAbsent(source.chainId(), id -> new HashMap<>())
                    .computeIfAbsent(head.sequence(), at -> new ArrayList<>())
                    .add(new Claim(chain, number, entry.sequence(), head.link()));
        } catch (RefusedException e) {
            // The audit of the chain reports it.
            return;
        }
    }

    /**
     * Takes a record of the export, and returns the claims that it contradicts.
     *
     * @param number of its chain in the export, the first one has 1
     */
    List<Found> record(Hash chainId, int number, Bytes encoded) {
        Map<Long, List<Claim>> ofChain = claims.get(chainId);
        if (ofChain == null) {
            return List.of();
        }
        try {
            long sequence = EntryRecord.peek(encoded).sequence();
            ends.put(chainId, new End(number, sequence));
            List<Claim> named = ofChain.remove(sequence);
            if (named == null) {
                return List.of();
            }
            EntryRecord record = EntryRecord.decode(encoded);
            Hash link =
                    Spiral.signedLink(
                            record.entry().placement().shape(),
                            Entry.hash(record.encoded()),
                            record.links());
            return named.stream()
                    .filter(each -> !each.link.equals(link))
                    .map(each -> found(each, "entry " + sequence + " of its source is another"))
                    .toList();
        } catch (RefusedException e) {
            return List.of();
        }
    }

    /**
     * Returns, behind the last record, the claims about entries behind the end of their chain. A
     * chain that stands before the claim was read before it: what it lacks may have come meanwhile.
     */
    List<Found> finish() {
        List<Found> found = new ArrayList<>();
        claims.forEach(
                (chainId, ofChain) -> {
                    End end = ends.getOrDefault(chainId, new End(0, Long.MAX_VALUE));
                    ofChain.forEach(
                            (sequence, named) -> {
                                for (Claim each : named) {
                                    if (sequence > end.sequence && end.number >= each.number) {
                                        found.add(found(each, "its source has no such entry"));
                                    } else {
                                        unverified++;
                                    }
                                }
                            });
                });
        claims.clear();
        return found;
    }

    private static Found found(Claim claim, String detail) {
        return new Found(claim.chain, new Finding(claim.sequence, Cause.FALSE_SOURCE, detail));
    }

    /** Returns how many sources could not be compared; known at the end. */
    public long unverified() {
        return unverified;
    }
}

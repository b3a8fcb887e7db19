package io.volute.provenance.audit;

import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.BatchTree;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.BatchPath;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Knows the format as well as the store does, and has some keys. */
public final class Forger {
    private final History history;
    private final List<SigningKey> keys;

    /** Batches that it signed, for the auditor to be given. */
    public final List<BatchRecord> batches = new ArrayList<>();

    public Forger(History history, SigningKey... keys) {
        this.history = history;
        this.keys = List.of(keys);
    }

    /** The entry with another content, at the same place and with everything else as it was. */
    public static Entry withContent(Entry entry, Hash content) {
        return new Entry(
                entry.placement(),
                entry.kind(),
                entry.versionId(),
                Optional.of(content),
                entry.principal(),
                entry.details(),
                entry.signers(),
                entry.attestation(),
                entry.source(),
                entry.slots());
    }

    public static Entry withPrincipal(Entry entry, String principal) {
        return new Entry(
                entry.placement(),
                entry.kind(),
                entry.versionId(),
                entry.content(),
                Field.plain(principal),
                entry.details(),
                entry.signers(),
                entry.attestation(),
                entry.source(),
                entry.slots());
    }

    public static Entry withSigners(Entry entry, List<SignerId> signers) {
        return new Entry(
                entry.placement(),
                entry.kind(),
                entry.versionId(),
                entry.content(),
                entry.principal(),
                entry.details(),
                signers,
                entry.attestation(),
                entry.source(),
                entry.slots());
    }

    public static Entry withPlacement(Entry entry, Entry.Placement placement) {
        return new Entry(
                placement,
                entry.kind(),
                entry.versionId(),
                entry.content(),
                entry.principal(),
                entry.details(),
                entry.signers(),
                entry.attestation(),
                entry.source(),
                entry.slots());
    }

    /** Another entry with the evidence of the old one. */
    public static EntryRecord exchanged(EntryRecord record, Entry entry) {
        return new EntryRecord(
                entry.encode(), entry, record.links(), record.path(), record.disclosure());
    }

    /** Links as the chain's last records demand them, and a batch signed with the keys it has. */
    public EntryRecord signed(Entry entry, List<EntryRecord> before) {
        Entry named = withSigners(entry, new BatchSigner(keys).ids());
        return signedAs(named, before);
    }

    /** Returns a record signed with the forger's keys, regardless of the signers in the entry. */
    public EntryRecord signedAs(Entry entry, List<EntryRecord> before) {
        Bytes encoded = entry.encode();
        List<Hash> links = links(entry, before);
        SpiralShape shape = entry.placement().shape();
        Hash link = Spiral.signedLink(shape, Entry.hash(encoded), links);
        BatchTree tree = new BatchTree(List.of(link));
        Bytes storeId = history.identity.storeId();
        Signatures signatures = Signatures.NONE;
        BatchRecord unsigned = new BatchRecord(storeId, 1, tree.root(), signatures);
        for (SigningKey key : keys) {
            Bytes signature =
                    key.sign(
                            io.volute.provenance.format.Domain.BATCH_SIGNATURE,
                            unsigned.signedBytes());
            for (SignerId signer : entry.signers()) {
                if (signer.algorithm() == key.id().algorithm()) {
                    signatures = signatures.with(signer, signature);
                }
            }
        }
        batches.add(new BatchRecord(storeId, 1, tree.root(), signatures));
        return new EntryRecord(
                encoded,
                entry,
                links,
                new BatchPath(0, 1, List.of()),
                io.volute.provenance.record.Disclosure.NOTHING);
    }

    private static List<Hash> links(Entry entry, List<EntryRecord> before) {
        SpiralShape shape = entry.placement().shape();
        List<Hash> links = new ArrayList<>();
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            Optional<Hash> previous = Optional.empty();
            var predecessor = Spiral.predecessor(entry.placement(), dimension);
            if (predecessor.isPresent()) {
                EntryRecord record = before.get((int) predecessor.getAsLong());
                previous = Optional.of(link(record, dimension));
            }
            switch (shape.construction()) {
                case ONE_LINK -> previous.ifPresent(links::add);
                case LINK_PER_DIMENSION ->
                        links.add(
                                Spiral.dimension(dimension, Entry.hash(entry.encode()), previous));
            }
        }
        return links;
    }

    private static Hash link(EntryRecord record, int dimension) {
        SpiralShape shape = record.entry().placement().shape();
        return switch (shape.construction()) {
            case ONE_LINK -> Spiral.signedLink(shape, Entry.hash(record.encoded()), record.links());
            case LINK_PER_DIMENSION -> record.links().get(dimension);
        };
    }

    AuditReport audit(AuditTerms terms, List<EntryRecord> records) {
        ChainAudit audit = history.begin(terms);
        batches.forEach(each -> audit.batch(each.encode()));
        records.forEach(each -> audit.entry(each.encode()));
        return audit.finish();
    }
}

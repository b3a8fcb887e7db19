package io.volute.provenance.audit;

import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.secrecy.Reading;
import io.volute.provenance.secrecy.SharedTree;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Verifies a chain while it is read, record by record, with bounded memory. Whatever it is given,
 * it does not throw but finds. Not thread-safe; one object for one chain.
 */
public final class ChainAudit {
    private static final Bytes PARTS = Bytes.of("parts");

    private final ChainIdentity chain;
    private final Hash chainId;
    private final AuditTerms terms;
    private final BatchRegister batches;
    private final Predicate<Hash> trees;
    private final Findings findings;
    private final BeginCheck begin;
    private final OrderCheck order;
    private final LinkCheck links;
    private final StatementCheck statements;
    private final SignatureCheck signatures;
    private final SettingsCheck settings;
    private Optional<SpiralShape> shape = Optional.empty();
    private Optional<ChainHead> head = Optional.empty();
    private AuditReport.Hidden hidden = AuditReport.Hidden.NOTHING;
    private long entries;
    private long verified;
    private long withoutHash;

    /**
     * @param chain whose history the auditor asked for
     */
    public ChainAudit(ChainIdentity chain, AuditTerms terms) {
        this(chain, terms, id -> true);
    }

    /**
     * @param trees true for the id of each auditors' tree that is there, unchanged
     */
    public ChainAudit(ChainIdentity chain, AuditTerms terms, Predicate<Hash> trees) {
        this(chain, terms, new BatchRegister(), trees);
    }

    ChainAudit(
            ChainIdentity chain, AuditTerms terms, BatchRegister batches, Predicate<Hash> trees) {
        this.chain = chain;
        this.terms = terms;
        this.batches = batches;
        this.trees = trees;
        chainId = chain.chainId();
        findings = new Findings();
        begin = new BeginCheck(findings);
        order = new OrderCheck(terms, findings, begin);
        links = new LinkCheck(terms.scope(), findings);
        statements = new StatementCheck(chain, terms, findings);
        signatures = new SignatureCheck(chain, terms, batches, findings);
        settings = new SettingsCheck(chain, findings);
        if (!chain.storeId().equals(terms.keys().storeId())) {
            findings.add(0, Cause.TRANSPLANTED, "the keys belong to another store");
        }
    }

    private ChainAudit(ChainAudit other) {
        chain = other.chain;
        chainId = other.chainId;
        terms = other.terms;
        batches = other.batches;
        trees = other.trees;
        findings = other.findings.copy();
        begin = other.begin.copy(findings);
        order = other.order.copy(findings, begin);
        links = other.links.copy(findings);
        statements = other.statements.copy(findings);
        signatures = new SignatureCheck(chain, terms, batches, findings);
        settings = other.settings.copy(findings);
        shape = other.shape;
        head = other.head;
        hidden = other.hidden;
        entries = other.entries;
        verified = other.verified;
        withoutHash = other.withoutHash;
    }

    /** Another audit that stands where this one does and goes on by itself; batches are shared. */
    public ChainAudit copy() {
        return new ChainAudit(this);
    }

    /** Takes a batch; it must come before the entries that it signs. */
    public void batch(Bytes encoded) {
        try {
            batches.add(BatchRecord.decode(encoded));
        } catch (RefusedException e) {
            findings.add(order.expected(), Cause.UNREADABLE, e.getMessage());
        }
    }

    /**
     * Takes the tree of auditors for whom later entries are encrypted.
     *
     * @return its id, if it can be read
     */
    public Optional<Hash> tree(Bytes encoded) {
        try {
            SharedTree tree = SharedTree.decode(encoded);
            terms.reader().ifPresent(reader -> reader.learn(tree));
            return Optional.of(tree.tree().id());
        } catch (RefusedException e) {
            findings.add(order.expected(), Cause.BAD_KEY_MATERIAL, e.getMessage());
            return Optional.empty();
        }
    }

    /** Takes the next record. */
    public void entry(Bytes encoded) {
        entries++;
        try {
            EntryRecord.Peek peek = EntryRecord.peek(encoded);
            if (isBefore(peek.sequence())) {
                return;
            }
            if (terms.scope().visits(peek)) {
                verified++;
                verify(EntryRecord.decode(encoded));
            } else if (peek.kind() == EventKind.SUMMARY && begin.isMissing()) {
                verifySummary(EntryRecord.decode(encoded));
            }
        } catch (RefusedException e) {
            findings.add(order.expected(), Cause.UNREADABLE, e.getMessage());
            order.skip();
        }
    }

    /** Returns whether an entry precedes the trusted head at which this audit begins. */
    private boolean isBefore(long sequence) {
        return terms.since().filter(head -> sequence < head.sequence()).isPresent();
    }

    private void verify(EntryRecord record) {
        Entry entry = record.entry();
        long before = order.last();
        if (!order.check(entry)) {
            return;
        }
        long count = findings.count();
        long sequence = entry.sequence();
        if (!entry.placement().chainId().equals(chainId)) {
            findings.add(
                    sequence,
                    Cause.TRANSPLANTED,
                    "its chain is " + entry.placement().chainId() + ", not " + chainId);
        }
        if (shape.isPresent() && !shape.get().equals(entry.placement().shape())) {
            findings.add(sequence, Cause.ALTERED, "its spiral has another shape");
        }
        if (shape.isEmpty()) {
            shape = Optional.of(entry.placement().shape());
            isPossible(shape.get());
        }
        Hash entryHash = Entry.hash(record.encoded());
        Hash link = Spiral.signedLink(entry.placement().shape(), entryHash, record.links());
        signatures.check(record, link);
        Optional<Reading> reading = terms.reader().map(reader -> reader.read(record));
        statements.check(record, reading);
        hidden = hidden.plus(DisclosureCheck.check(record, reading, trees, findings));
        links.check(record, entryHash, link, before, findings.count() == count);
        begin.entry(record, entryHash);
        summary(entry, count);
        settings.check(entry);
        content(entry);
        head = Optional.of(new ChainHead(sequence, link));
        trusted(head.get());
    }

    /** One that is not among those to be looked at: only who signed it. */
    private void verifySummary(EntryRecord record) {
        long count = findings.count();
        Hash link =
                Spiral.signedLink(
                        record.entry().placement().shape(),
                        Entry.hash(record.encoded()),
                        record.links());
        signatures.check(record, link);
        summary(record.entry(), count);
    }

    /**
     * @param count of findings before this entry
     */
    private void summary(Entry entry, long count) {
        try {
            Optional<Removal> removal = Removal.of(entry);
            boolean isOurs = entry.placement().chainId().equals(chainId);
            if (removal.isPresent() && isOurs && findings.count() == count) {
                RemovalCheck.refusal(entry, removal.get(), terms.settings())
                        .ifPresentOrElse(
                                why -> findings.add(entry.sequence(), Cause.REMOVED_TOO_SOON, why),
                                () -> begin.vouch(entry.sequence(), removal.get()));
            }
        } catch (RefusedException e) {
            findings.add(entry.sequence(), Cause.UNREADABLE, e.getMessage());
        }
    }

    private void isPossible(SpiralShape found) {
        if (terms.scope() instanceof AuditScope.Dimension each
                && each.dimension() > found.exponent()) {
            String detail = "its spiral has no dimension " + each.dimension();
            findings.add(0, Cause.UNVERIFIABLE, detail);
        }
    }

    private void content(Entry entry) {
        if (!entry.kind().setsContent()) {
            return;
        }
        Optional<Hash> now = terms.contents().hashOf(entry.versionId(), parts(entry));
        if (now.isPresent() && entry.content().isEmpty()) {
            withoutHash++;
        }
        boolean isComparable = now.isPresent() && entry.content().isPresent();
        if (isComparable && !now.equals(entry.content())) {
            Optional<String> damage = terms.contents().damage();
            findings.add(
                    entry.sequence(),
                    damage.isPresent() ? Cause.CONTENT_DAMAGED : Cause.CONTENT_CHANGED,
                    "version " + entry.versionId() + " has " + damage.orElse(now.get().toString()));
        }
    }

    /** Returns the sizes of the parts that the hash of the content is made from. */
    private static Optional<String> parts(Entry entry) {
        return Optional.ofNullable(entry.details().get(PARTS))
                .filter(field -> field.form() == Field.Form.PLAIN)
                .map(field -> field.value().text());
    }

    private void trusted(ChainHead at) {
        for (ChainHead trusted : terms.trust().fixed()) {
            if (trusted.sequence() == at.sequence() && !trusted.equals(at)) {
                findings.add(at.sequence(), Cause.REPLACED, "a checkpoint has another entry there");
            }
        }
    }

    /** The chain stands in a place of its file where no export has it. */
    void misplaced(String detail) {
        findings.add(0, Cause.MISPLACED, detail);
    }

    /** The file that the chain stands in is not whole. */
    void brokenOff(String reason) {
        findings.add(order.expected(), Cause.REMOVED, reason);
    }

    /** After the last record: what is missing at the end, and the report. */
    public AuditReport finish() {
        for (ChainHead trusted : terms.trust().fixed()) {
            boolean isCovered = !(terms.scope() instanceof AuditScope.Kind);
            if (isCovered && trusted.sequence() > order.last() && !endsBefore(trusted)) {
                findings.add(
                        order.expected(),
                        Cause.ROLLED_BACK,
                        "a checkpoint has entries up to " + trusted.sequence());
            }
        }
        if (terms.scope() instanceof AuditScope.Dimension each && order.last() < each.head()) {
            findings.add(order.expected(), Cause.REMOVED, "the head is entry " + each.head());
        }
        long removed = order.removed() + begin.finish(terms.heads());
        return new AuditReport(
                chain.toString(),
                entries,
                verified,
                removed,
                hidden,
                head,
                findings.list(),
                findings.omitted(),
                findings.contradicted(),
                settings.history(),
                terms.rules(),
                withoutHash == 0 ? Map.of() : Map.of(Uncompared.CONTENTS, withoutHash));
    }

    /** Returns whether the scope of the audit ends before the head of a checkpoint. */
    private boolean endsBefore(ChainHead trusted) {
        return terms.scope() instanceof AuditScope.Dimension each
                && each.head() < trusted.sequence();
    }

    /** Entries remembered, for a test that it is not all of them. */
    int remembered() {
        return links.remembered();
    }

    /** Returns whether the audit has no finding so far. */
    public boolean isClean() {
        return findings.count() == 0;
    }
}

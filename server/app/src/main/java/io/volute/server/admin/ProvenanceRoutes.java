package io.volute.server.admin;

import io.volute.adminapi.AuditApi.Audit;
import io.volute.adminapi.ProvenanceApi.Entries;
import io.volute.adminapi.ProvenanceApi.Keys;
import io.volute.adminapi.ProvenanceView;
import io.volute.adminapi.Words;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.Rule;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.secrecy.Reading;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.Openings;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.AuditScopeOf;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Selection;
import io.volute.versioning.Provenance.Summarising;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The signed history of keys: what auditors take away, and audits by the server. Thread-safe. */
final class ProvenanceRoutes implements AutoCloseable {
    private static final String PREFIX = "prefix";
    private static final String KEY = "key";
    private static final String DIMENSION = "dimension";
    private static final String KIND = "kind";
    private static final String REQUIRED = "requireAlgorithms";
    private static final String ACCEPT = "acceptSummaries";
    private static final String WITHHOLD = "withhold";
    private static final String KEY_SLOTS = "key-slots";
    private static final String SUMMARY = "summary";
    private static final String KEEP = "keep";
    private static final String CHECKPOINT = "checkpoint";
    private static final String CONTENTS = "contents";
    private static final String SINCE = "sinceCheckpoint";

    private static final ObjectKey ANY_KEY = new ObjectKey("any");
    private static final Map<String, EventKind> KINDS = Words.constants(EventKind.values());
    private static final Map<String, SignatureAlgorithm> ALGORITHMS =
            Words.constants(SignatureAlgorithm.SIGNING.toArray(new SignatureAlgorithm[0]));

    /** The fields that an export can withhold. */
    private static final List<String> WITHHELD =
            Stream.concat(
                            Arrays.stream(EntryField.values()).map(EntryField::text),
                            Stream.of(KEY_SLOTS))
                    .toList();

    private final Optional<Provenance> provenance;
    private final StoreCubes cubes;
    private final Optional<Openings> openings;
    private final AuditRun audit;
    private final CheckpointRoutes checkpoints;
    private final AuditorRoutes auditors;
    private final HidingRoutes hiding;

    ProvenanceRoutes(
            Optional<Provenance> provenance,
            StoreCubes cubes,
            VersionedStore store,
            Optional<Openings> openings,
            InstantSource clock) {
        this.openings = openings;
        this.provenance = provenance;
        this.cubes = cubes;
        this.audit = new AuditRun(clock);
        this.checkpoints = new CheckpointRoutes(this::known);
        this.auditors = new AuditorRoutes(this::known);
        this.hiding = new HidingRoutes(this::known, store);
    }

    /** Returns the provenance of the cube that a request names, or else that of all cubes. */
    private Provenance known(Arguments asked) {
        Optional<String> cube = asked.text("cube");
        if (cube.isEmpty()) {
            return known();
        }
        return cubes.opened().stream()
                .filter(open -> open.name().equals(cube.get()))
                .findFirst()
                .orElseThrow(() -> notOpen(cube.get()))
                .store()
                .provenance()
                .orElseGet(this::known);
    }

    private RuntimeException notOpen(String cube) {
        return elsewhere().contains(cube)
                ? new UncheckedIOException(
                        new CubeUnavailableException(Reason.NOT_OPEN, cube).in(cube))
                : new AdminException(404, "NoSuchCube", "no open cube " + cube);
    }

    /** Returns the names of the cubes that other nodes have. */
    private List<String> elsewhere() {
        return cubes.list().stream()
                .filter(each -> each.phase() == StoreCubes.Phase.ELSEWHERE)
                .map(StoreCubes.CubeInfo::name)
                .toList();
    }

    /** Refuses a request for all cubes when other nodes have some. */
    private void requireOneNode(Arguments asked) {
        List<String> others = elsewhere();
        if (!asked.has("cube") && !others.isEmpty()) {
            throw new AdminException(
                    409,
                    "CubesElsewhere",
                    "other nodes have cubes "
                            + String.join(", ", others)
                            + ": send a request for each cube, with its name as cube, as the"
                            + " commands of volute do");
        }
    }

    /** Returns the provenance of the cube that a request names, or that has its bucket. */
    private Provenance of(Arguments asked) {
        Optional<String> home = asked.bucket().flatMap(cubes::cubeOf);
        return asked.text("cube").isPresent() || home.isEmpty()
                ? known(asked)
                : cubes.opened().stream()
                        .filter(open -> open.name().equals(home.get()))
                        .flatMap(open -> open.store().provenance().stream())
                        .findFirst()
                        .orElseGet(this::known);
    }

    private Provenance known() {
        return provenance.orElseThrow(
                () ->
                        new AdminException(
                                409,
                                "ProvenanceOff",
                                "the server signs no history: set provenance.signatures to"
                                        + " ed25519, ml-dsa-65 or both, and start it again"));
    }

    Entries entries(Arguments asked) throws IOException {
        int max = asked.max();
        List<EntryRecord> found = new ArrayList<>();
        known().entries(
                        asked.neededBucket(),
                        asked.key(),
                        asked.number("from").orElse(0L),
                        record -> found.add(record) && found.size() <= max);
        Optional<String> next = Optional.empty();
        if (found.size() > max) {
            next = Optional.of(Long.toString(found.removeLast().entry().sequence()));
        }
        return new Entries(
                found.stream().map(Reading::ofAnybody).map(ProvenanceView::entry).toList(), next);
    }

    /**
     * An export.
     *
     * @param chains about how many chains it has, as keys are written meanwhile
     */
    record Export(Content content, long chains) {}

    Export export(Arguments asked) throws IOException {
        Range range = range(asked);
        // A refusal must come before the head of a stream.
        Provenance chains = known(asked).of(range);
        Selection selection = selection(asked, range);
        Content content =
                new Content.Stream(
                        target -> {
                            long ignored = chains.export(range, selection, target);
                        });
        return new Export(content, chains.count(range, () -> true));
    }

    /** Streams the openings, which restore the fields that such an export withholds. */
    Content openings(Arguments asked) throws IOException {
        Range range = range(asked);
        Provenance chains = known(asked).of(range);
        Selection selection = selection(asked, range);
        if (selection.withheld().fields().isEmpty()) {
            throw AdminException.badRequest(WITHHOLD + " is missing, or names no field");
        }
        return new Content.Stream(
                target -> {
                    long ignored = chains.openings(range, selection, target);
                });
    }

    private Selection selection(Arguments asked, Range range) throws IOException {
        Set<String> fields = new TreeSet<>(asked.list(WITHHOLD, WITHHELD));
        boolean hasSlots = fields.remove(KEY_SLOTS);
        Optional<Checkpoint> since =
                asked.has(SINCE)
                        ? Optional.of(checkpoint(asked, asked.neededNumber(SINCE)))
                        : Optional.empty();
        return new Selection(new Withholding(fields, hasSlots), summary(asked, range), since);
    }

    private Optional<Summarising> summary(Arguments asked, Range range) throws IOException {
        if (!asked.flag(SUMMARY)) {
            if (asked.has(KEEP) || asked.has(CHECKPOINT)) {
                throw AdminException.badRequest("keep and checkpoint go with summary=true");
            }
            return Optional.empty();
        }
        Optional<Checkpoint> compared =
                asked.has(CHECKPOINT)
                        ? Optional.of(checkpoint(asked, asked.neededNumber(CHECKPOINT)))
                        : of(asked).lastCheckpoint();
        if (!of(asked).isSummarisable(range)) {
            throw new AdminException(
                    409,
                    "NotSummarisable",
                    "only chains of construction 2 can be summarised, and none of these is: with"
                            + " provenance.construction = link-per-dimension, the chains of new"
                            + " keys can be. Export them as they are");
        }
        Set<EventKind> kept =
                asked.list(KEEP, KINDS.keySet()).stream()
                        .map(KINDS::get)
                        .collect(Collectors.toSet());
        return Optional.of(new Summarising(kept, compared));
    }

    AuditorRoutes auditors() {
        return auditors;
    }

    HidingRoutes hiding() {
        return hiding;
    }

    Content keyList(Arguments asked) {
        return new Content.Bytes(known(asked).keys().encode().toArray());
    }

    Keys keys(Arguments asked) throws IOException {
        return ProvenanceView.keys(known(asked).keys());
    }

    Keys rotate(Arguments asked) throws IOException {
        requireOneNode(asked);
        known(asked).rotateKeys();
        return ProvenanceView.keys(known(asked).keys());
    }

    CheckpointRoutes checkpoints() {
        return checkpoints;
    }

    /** Registers a principal's own key, or ends it. */
    Keys principal(Arguments asked) throws IOException {
        PublicKey key = publicKey(asked);
        if (asked.flag("end")) {
            known().endPrincipalKey(key.id());
        } else {
            known().addPrincipalKey(asked.neededText("principal"), key);
        }
        return ProvenanceView.keys(known().keys());
    }

    private static PublicKey publicKey(Arguments asked) {
        SignatureAlgorithm algorithm = asked.neededWord("algorithm", ALGORITHMS);
        try {
            byte[] bytes = Base64.getDecoder().decode(asked.neededText("publicKey"));
            return new PublicKey(algorithm, Bytes.of(bytes));
        } catch (IllegalArgumentException e) {
            throw AdminException.badRequest(
                    "publicKey is not " + algorithm.publicKeyBytes() + " bytes in Base64");
        }
    }

    Audit startAudit(Arguments asked) throws IOException {
        Provenance chains = known(asked);
        Terms terms =
                new Terms(
                        scope(asked),
                        asked.words(REQUIRED, ALGORITHMS),
                        asked.flag(ACCEPT),
                        asked.flag(CONTENTS),
                        Terms.USUAL.threads(),
                        openings);
        Range range = range(asked);
        if (range.equals(Range.ALL)) {
            requireOneNode(asked);
        }
        Optional<Checkpoint> since = since(asked);
        // The checkpoints of a cube have numbers of their own.
        Provenance checked = since.isPresent() ? of(asked) : chains;
        boolean comparesAll = range.equals(Range.ALL) || since.isPresent();
        OptionalLong compared = since.stream().mapToLong(each -> each.body().number()).findFirst();
        audit.start(
                sink -> {
                    sink.expected(chains.count(range, sink::goesOn));
                    if (comparesAll) {
                        if (chains.lastCheckpoint().isPresent()) {
                            sink.applied(Rule.ALGORITHMS_OF_CHECKPOINT);
                        }
                        checked.auditCheckpoints(compared, sink::goesOn).forEach(sink::checkpoint);
                    }
                    return since.isPresent()
                            ? chains.auditSince(since.get(), range, terms, sink)
                            : chains.audit(range, terms, sink);
                });
        return audit.audit();
    }

    AdminApi.Audits auditsSoFar() {
        return audit.soFar();
    }

    Audit audit() {
        known();
        return audit.audit();
    }

    Audit cancelAudit() {
        audit.cancel();
        return audit();
    }

    private Optional<Checkpoint> since(Arguments asked) throws IOException {
        if (!asked.has(SINCE)) {
            return Optional.empty();
        }
        if (asked.has(DIMENSION) || asked.has(KIND)) {
            throw AdminException.badRequest("sinceCheckpoint goes with neither dimension nor kind");
        }
        return Optional.of(checkpoint(asked, asked.neededNumber(SINCE)));
    }

    private Checkpoint checkpoint(Arguments asked, long number) throws IOException {
        return of(asked).checkpoints(number, 1).stream()
                .filter(each -> each.body().number() == number)
                .findFirst()
                .orElseThrow(() -> AdminException.badRequest("there is no checkpoint " + number));
    }

    private static AuditScopeOf scope(Arguments asked) {
        if (asked.has(DIMENSION) && asked.has(KIND)) {
            throw AdminException.badRequest("either dimension or kind");
        }
        if (asked.has(KIND)) {
            EventKind kind = asked.neededWord(KIND, KINDS);
            return head -> new AuditScope.Kind(kind);
        }
        if (!asked.has(DIMENSION)) {
            return Terms.USUAL.scope();
        }
        long dimension = asked.neededNumber(DIMENSION);
        if (dimension > SpiralShape.EXPONENT_MAX) {
            throw AdminException.badRequest("dimension is 0 to " + SpiralShape.EXPONENT_MAX);
        }
        return head -> new AuditScope.Dimension((int) dimension, head.getAsLong());
    }

    /** Refuses a bucket that there never was, before anything is answered. */
    private Range range(Arguments asked) throws IOException {
        Optional<BucketName> bucket = asked.bucket();
        if (bucket.isEmpty()) {
            if (asked.has(PREFIX) || asked.has(KEY)) {
                throw AdminException.badRequest("bucket is missing");
            }
            return Range.ALL;
        }
        if (asked.has(PREFIX) && asked.has(KEY)) {
            throw AdminException.badRequest("either key or prefix");
        }
        known().entries(bucket.get(), ANY_KEY, entry -> false);
        if (asked.has(KEY)) {
            return Range.ofKey(bucket.get(), asked.key());
        }
        String prefix = asked.text(PREFIX).orElse("");
        if (prefix.getBytes(StandardCharsets.UTF_8).length > ObjectKey.BYTES_MAX) {
            throw AdminException.badRequest("no key is as long as prefix");
        }
        return new Range(bucket, prefix, false);
    }

    /** Ends a running audit, and a checkpoint that is being made. */
    @Override
    public void close() throws InterruptedException {
        checkpoints.close();
        audit.close();
    }
}

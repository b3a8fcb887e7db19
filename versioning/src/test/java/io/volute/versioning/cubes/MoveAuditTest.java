package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.ENTRIES;
import static io.volute.versioning.rows.Families.VERSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.TestKeys;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Moves, splits and merges sign no row that somebody with the disk changed: they stop with the
 * finding, and the bucket stays where it was.
 */
class MoveAuditTest extends MovesFixture {
    private ProvenanceSettings settings = TestKeys.settings();
    private long bucketId;
    private ObjectVersion old;

    @Override
    StoreOptions options(StoreOptions usual) {
        return usual.with(settings);
    }

    @BeforeEach
    void fill() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucketId = bucket(BUCKET, "one").id();
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        put(ALICE, BUCKET, "a", "honest");
        old = put(ALICE, BUCKET, "m", "first");
        put(ALICE, BUCKET, "m", "second");
        ObjectVersion gone = put(ALICE, BUCKET, "m", "third");
        VersionSelector which = new VersionSelector.Numbered(gone.number());
        assertThat(store.delete(ALICE, name(BUCKET), key("m"), which, WriteCondition.NONE))
                .isNotNull();
        put(ALICE, BUCKET, "z", "honest");
    }

    /** Changes that somebody with the disk can make to key m. */
    enum Forgery {
        CURRENT_TAGS,
        OLD_TAGS,
        OLD_REMOVED,
        OLD_AS_CURRENT
    }

    /** Changes key m behind the server. */
    private void forge(Forgery forgery, Cube cube) throws IOException {
        byte[] base = RowKeys.current(bucketId, key("m"));
        byte[] version = RowKeys.version(bucketId, key("m"), old.number());
        Transaction transaction =
                switch (forgery) {
                    case CURRENT_TAGS -> tagged(cube, CURRENT, base, CURRENT, base);
                    case OLD_TAGS -> tagged(cube, VERSIONS, version, VERSIONS, version);
                    case OLD_REMOVED -> new Transaction().delete(VERSIONS, version);
                    case OLD_AS_CURRENT ->
                            tagged(cube, VERSIONS, version, CURRENT, base)
                                    .delete(VERSIONS, version);
                };
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    private static Transaction tagged(
            Cube cube, Family family, byte[] rowKey, Family to, byte[] toKey) throws IOException {
        StoredRecord record = cube.get(family, rowKey).orElseThrow();
        ObjectRow row = ObjectRow.decode(record.summary());
        byte[] detail = RecordDetails.read(cube, family, rowKey, record);
        ObjectVersion version = row.version(key("m"), true, "alice", detail);
        ObjectVersion forged =
                version.with(version.attributes().withTags(Map.of("approved", "yes")));
        EncodedRow encoded =
                ObjectRow.encode(forged, "alice", row.nullBehind(), row.causal(), row.upload());
        if (row.holdsBody()) {
            encoded = ObjectRow.withBody(encoded, row.body(detail));
        }
        return new Transaction()
                .put(to, toKey, encoded.summary(), encoded.detail(), record.references());
    }

    /** Waits until the move stops or ends, and returns why it stopped. */
    private Optional<String> stopped() {
        Optional<Move> move = cubes.moves().list().stream().findFirst();
        while (move.filter(each -> each.isRunning() || each.why().isEmpty()).isPresent()) {
            awaitThreads();
            move = cubes.moves().list().stream().findFirst();
        }
        return move.map(Move::why);
    }

    private List<String> findings() throws IOException {
        Terms terms = new Terms(Terms.USUAL.scope(), Set.of(), false, false, 1);
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        Range range = new Range(Optional.of(name(BUCKET)), "", false);
        assertThat(store.provenance().orElseThrow().audit(range, terms, reports::add)).isPositive();
        return reports.stream()
                .flatMap(report -> report.findings().stream())
                .map(Object::toString)
                .toList();
    }

    private boolean hasChain(String cube, String key) {
        byte[] base = RowKeys.current(bucketId, key(key));
        try (RecordCursor entries =
                opened.get(cube).scan(ENTRIES, base, RowKeys.behindPrefix(base))) {
            return entries.next();
        }
    }

    private void requireRefused(String source, String target) throws Exception {
        List<String> before = findings();
        assertThat(before).isNotEmpty();
        assertThat(stopped().orElseThrow()).contains("key m ").contains(before.getFirst());
        assertThat(hasChain(target, "m")).isFalse();
        // The bucket works where it was, and the evidence is there.
        assertThat(findings()).isEqualTo(before);
        put(BOB, BUCKET, "z", "after the refusal");
        assertThat(get(BOB, BUCKET, "z")).isEqualTo("after the refusal");
        assertThat(get(BOB, BUCKET, "a")).isEqualTo("honest");
        assertThat(cubes.cubeOf(name(BUCKET), key("m"))).contains(source);
    }

    @ParameterizedTest
    @EnumSource
    void aMoveRefusesWhatTheChainDoesNotHave(Forgery forgery) throws Exception {
        assertThat(findings()).isEmpty();
        forge(forgery, opened.get("one"));
        assertThat(cubes.moves().start(name(BUCKET), "two")).isNotNull();
        requireRefused("one", "two");
        assertThat(cubes.moves().start(name(BUCKET), "one")).isNotNull();
        assertThat(stopped()).isEmpty();
        assertThat(findings()).isNotEmpty();
    }

    @Test
    void aSplitAndAMergeDo() throws Exception {
        forge(Forgery.OLD_TAGS, opened.get("one"));
        assertThat(cubes.moves().split(name(BUCKET), key("m"), "two")).isNotNull();
        requireRefused("one", "two");
        assertThat(cubes.moves().merge(name(BUCKET), key("m"))).isNotNull();
        assertThat(stopped()).isEmpty();
        // The keys before the forged one are honest, and leave.
        assertThat(cubes.moves().split(name(BUCKET), key("z"), "two")).isNotNull();
        assertThat(stopped()).isEmpty();
    }

    @Test
    void aMergeRefusesWhatAPartHas() throws Exception {
        assertThat(cubes.moves().split(name(BUCKET), key("b"), "two")).isNotNull();
        assertThat(stopped()).isEmpty();
        assertThat(findings()).isEmpty();
        forge(Forgery.CURRENT_TAGS, opened.get("two"));
        assertThat(cubes.moves().merge(name(BUCKET), key("b"))).isNotNull();
        List<String> before = findings();
        assertThat(before).isNotEmpty();
        assertThat(stopped().orElseThrow()).contains("key m ").contains(before.getFirst());
        assertThat(findings()).isEqualTo(before);
    }

    /** An honest owner removes the forged version by id; the chain has the removal. */
    @Test
    void aKeyThatWasPutRightMoves() throws Exception {
        forge(Forgery.OLD_TAGS, opened.get("one"));
        assertThat(cubes.moves().start(name(BUCKET), "two")).isNotNull();
        requireRefused("one", "two");
        VersionSelector which = new VersionSelector.Numbered(old.number());
        store.setTags(ALICE, name(BUCKET), key("m"), which, Map.of());
        assertThat(cubes.moves().start(name(BUCKET), "two")).isNotNull();
        assertThat(stopped()).isEmpty();
        assertThat(get(ALICE, BUCKET, "m")).isEqualTo("second");
        audit();
    }

    /**
     * What changed while nothing was signed is no finding; the new chain claims no origin of it.
     */
    @Test
    void versionsOfAnUnsignedTimeMove() throws Exception {
        settings = TestKeys.settings(TestKeys.SHAPE);
        restart();
        put(ALICE, BUCKET, "m", "unsigned");
        put(ALICE, BUCKET, "n", "unsigned");
        settings = TestKeys.settings();
        restart();
        assertThat(cubes.moves().start(name(BUCKET), "two")).isNotNull();
        assertThat(stopped()).isEmpty();
        assertThat(get(ALICE, BUCKET, "n")).isEqualTo("unsigned");
        audit();
    }
}

package io.volute.versioning.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.Witness;
import io.volute.provenance.anchor.Witness.Outcome;
import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Removed;
import io.volute.versioning.Provenance.Retention;
import io.volute.versioning.Provenance.Selection;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A witness of a store, with exports since the checkpoint that it co-signed last. */
class WitnessedExportTest extends StoreFixture {
    private static final SigningKey NOTARY =
            SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(new byte[32]));
    private static final Instant LATER = Instant.parse("2126-01-01T00:00:00Z");

    @TempDir private Path exported;
    private Optional<Checkpoint> seen = Optional.empty();

    @Override
    public StoreOptions options(StoreOptions usual) {
        SpiralShape shape = new SpiralShape(Construction.ONE_LINK, 3);
        return usual.with(
                TestKeys.settings(shape, SignatureAlgorithm.ED25519).with(Duration.ofMillis(1)));
    }

    private void putTimes(String key, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            put(key, "content " + i);
        }
    }

    private Checkpoint checkpoint() throws IOException {
        Checkpoint made = provenance().checkpoint(() -> true);
        Path heads = exported.resolve("heads-" + made.body().number());
        try (OutputStream out = Files.newOutputStream(heads)) {
            provenance().writeHeads(made, out);
        }
        return made;
    }

    private Path entries(long from, long to) {
        return exported.resolve("entries-" + from + "-" + to);
    }

    /** Exports what came since a checkpoint; returns the number of chains of objects. */
    private long export(Checkpoint since, Checkpoint to, Selection selection) throws IOException {
        Path file = entries(since.body().number(), to.body().number());
        try (OutputStream out = Files.newOutputStream(file)) {
            return provenance().export(Range.ALL, selection.since(since), out);
        }
    }

    private Outcome look(Checkpoint next) throws IOException {
        Outcome outcome =
                new Witness(provenance().keys(), NOTARY, seen)
                        .look(
                                next,
                                new Witness.Between() {
                                    @Override
                                    public Optional<Checkpoint> checkpoint(long number)
                                            throws IOException {
                                        return provenance().checkpoints(number, 1).stream()
                                                .findFirst();
                                    }

                                    @Override
                                    public Optional<Path> heads(long number) {
                                        return Optional.of(exported.resolve("heads-" + number))
                                                .filter(Files::exists);
                                    }

                                    @Override
                                    public Optional<Witness.Entries> entries(long from, long goal) {
                                        return Optional.of(
                                                        new Witness.Entries(
                                                                goal,
                                                                WitnessedExportTest.this.entries(
                                                                        from, goal)))
                                                .filter(each -> Files.exists(each.file()));
                                    }
                                });
        if (outcome instanceof Outcome.Signed signed) {
            seen = Optional.of(signed.last());
        }
        return outcome;
    }

    private Checkpoint begin() throws IOException {
        Checkpoint first = checkpoint();
        assertThat(look(first)).isInstanceOf(Outcome.Signed.class);
        return first;
    }

    private void signs(Checkpoint next) throws IOException {
        Outcome outcome = look(next);
        assertThat(outcome).as(outcome.toString()).isInstanceOf(Outcome.Signed.class);
    }

    /** Sequences of the entries of each key in an export. */
    private Map<String, List<Long>> sequences(Path file) throws IOException {
        Map<String, List<Long>> found = new TreeMap<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            ExportReader reader = new ExportReader(in);
            String key = "";
            for (Optional<Frame> next = reader.next(); next.isPresent(); next = reader.next()) {
                Bytes payload = next.get().payload();
                if (next.get().type() == Frame.Type.CHAIN.code()) {
                    key = ChainIdentity.decode(payload).key().text();
                    found.put(key, new ArrayList<>());
                } else if (next.get().type() == Frame.Type.ENTRY.code()) {
                    found.get(key).add(EntryRecord.decode(payload).entry().sequence());
                }
            }
        }
        return found;
    }

    @Test
    void anExportSinceACheckpointIsEnoughForItsWitness() throws IOException {
        putTimes("grows", 300);
        putTimes("stays", 3);
        Checkpoint first = begin();
        putTimes("grows", 2);
        putTimes("new", 2);
        provenance().rotateKeys();
        put("new", "with another key");
        Checkpoint second = checkpoint();
        // Later ones are in the export, and not in the checkpoint.
        put("grows", "later");
        put("latest", "later");
        assertThat(export(first, second, Selection.ALL)).isPositive();
        Map<String, List<Long>> sequences = sequences(entries(0, 1));
        assertThat(sequences.get("grows")).hasSize(303);
        assertThat(sequences.get("new")).containsExactly(0L, 1L, 2L);
        assertThat(sequences).doesNotContainKey("stays").containsKey("provenance");
        signs(second);
        Checkpoint third = checkpoint();
        export(
                second,
                third,
                Selection.ALL.with(new Withholding(Set.of("principal", "actor"), true)));
        signs(third);
    }

    @Test
    void withoutTheEntriesNothingIsCoSigned() throws IOException {
        putTimes("a", 3);
        Checkpoint first = begin();
        put("a", "more");
        Checkpoint second = checkpoint();
        assertThat(look(second).toString()).contains("--since-checkpoint 0", "entries-0-1");
        // One from before the later checkpoint lacks its head.
        export(first, second, Selection.ALL);
        put("a", "still more");
        Checkpoint third = checkpoint();
        Files.move(entries(0, 1), entries(0, 2));
        assertThat(look(third).toString()).contains("a checkpoint has entries up to 4");
        export(first, third, Selection.ALL);
        signs(third);
    }

    private long removeOld() throws IOException {
        long removed = 0;
        Removed step = new Removed(0, false);
        while (!step.isRoundOver()) {
            step = provenance().removeOld(new Retention(LATER, 50, 1));
            removed += step.entries();
        }
        return removed;
    }

    @Test
    void retentionKeepsTheHeadOfTheNewestCheckpoint() throws IOException {
        putTimes("a", 40);
        Checkpoint first = begin();
        assertThat(removeOld()).isPositive();
        putTimes("a", 40);
        Checkpoint second = checkpoint();
        export(first, second, Selection.ALL);
        signs(second);
        putTimes("a", 40);
        assertThat(checkpoint().body().number()).isEqualTo(2);
        // It covers more than the witness has seen.
        assertThat(removeOld()).isPositive();
        put("a", "last");
        Checkpoint late = checkpoint();
        export(second, late, Selection.ALL);
        assertThat(look(late).toString()).contains("it was taken out later", "an older export");
    }
}

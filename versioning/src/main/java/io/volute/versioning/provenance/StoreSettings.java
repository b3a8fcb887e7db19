package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SignedSettings;
import io.volute.provenance.record.SignedSettings.Before;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.provenance.EntryRows.Found;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of the store's own chain. Each change of the settings of provenance is a signed entry
 * there, before the first commit under the new settings. Thread-safe.
 */
public final class StoreSettings {
    public static final ObjectKey KEY = new ObjectKey(ChainIdentity.STORE_KEY);

    /** The bucket of the store's own chain. Hides no field, because its entries name no person. */
    public static final BucketInfo BUCKET =
            new BucketInfo(
                            ChainIdentity.STORE_BUCKET_ID,
                            BucketName.OF_STORE,
                            "",
                            Instant.EPOCH,
                            VersioningState.UNVERSIONED,
                            HistoryPolicy.NONE)
                    .with(Optional.of(HiddenFields.NONE));

    private static final Logger LOG = LoggerFactory.getLogger(StoreSettings.class);

    private static final Caller STORE = new Caller("", "", "");

    private final Cube cube;
    private final ProvenanceLog log;
    private final SignedSettings settings;
    private final boolean isAnew;

    /** Serialises the writers of the chain. */
    private final ReentrantLock writers = new ReentrantLock();

    StoreSettings(Cube cube, ProvenanceLog log, ProvenanceSettings settings) {
        this.cube = cube;
        this.log = log;
        this.settings = signed(settings);
        this.isAnew = settings.beginsAnew();
    }

    private static SignedSettings signed(ProvenanceSettings settings) {
        HiddenFields hidden = settings.confidentiality().fields();
        return new SignedSettings(
                SignedSettings.RULES,
                settings.algorithms(),
                settings.shape(),
                settings.retention().toMillis(),
                names(hidden.encrypted()),
                names(hidden.committed()),
                settings.confidentiality().needed(),
                Before.ANYTHING,
                Optional.empty());
    }

    private static Set<String> names(Set<EntryField> fields) {
        return fields.stream().map(EntryField::text).collect(Collectors.toSet());
    }

    /**
     * Returns the settings of the last entry, without those of a bucket; empty when there is no
     * entry, or it cannot be read, which an audit reports.
     */
    static Optional<SignedSettings> last(EntryRows rows) {
        try {
            Optional<Found> last = rows.last(BUCKET.id(), KEY);
            return last.isEmpty()
                    ? Optional.empty()
                    : SignedSettings.of(rows.read(last.get()).entry()).map(SignedSettings::ofStore);
        } catch (RefusedException e) {
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Records the settings of this start, unless the last entry has them.
     *
     * @throws IOException also when the chain was taken out of the store
     */
    void record() throws IOException {
        boolean isLost = requireChain();
        Optional<SignedSettings> before = last(log.rows());
        if (before.equals(Optional.of(settings))) {
            return;
        }
        if (settings.areUnsignedChangesNamed()) {
            UnsignedChanges.clear(cube);
        } else if (before.filter(SignedSettings::areUnsignedChangesNamed).isPresent()) {
            // Before the entry for on: later ones excuse nothing.
            new UnsignedChanges(cube, log).sign();
        }
        // Also on a full store, which must open before anything can be deleted from it.
        Transaction transaction = new Transaction().makingRoom();
        ProvenanceRecorder recorder = log.recorder(STORE);
        boolean isBeginning =
                log.rows().last(BUCKET.id(), KEY).isEmpty()
                        && Stream.of(CURRENT, VERSIONS, HISTORY).noneMatch(this::hasRows);
        Before first = isBeginning ? Before.NOTHING : Before.ANYTHING;
        recorder.set(settings.as(isLost ? Before.LOST : first));
        try {
            recorder.addTo(transaction);
            Commits.join(cube, transaction);
            recorder.committed();
        } finally {
            recorder.release();
        }
    }

    /**
     * Refuses a store whose own chain is missing and that is not older than such chains.
     *
     * @return whether it is missing, and the operator has chosen to begin it anew
     */
    boolean requireChain() throws IOException {
        if (!new OwnChain(cube, log.rows()).wasTakenOut()) {
            return false;
        }
        if (!isAnew) {
            throw new IOException(
                    "the signed history of the settings of this store is missing, but its signing"
                            + " keys and signed entries exist: the data directory was changed."
                            + " Restore it from a copy. To go on without it, start once with"
                            + " provenance.on-missing-settings = begin-anew: a signed entry then"
                            + " records the loss, and audits report it");
        }
        LOG.warn("the signed history of the settings is missing; a new one records the loss");
        return true;
    }

    private boolean hasRows(Family family) {
        try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
            return cursor.next();
        }
    }

    /** A commit with a recorder of its changes. */
    @FunctionalInterface
    public interface Commit {
        void run(ProvenanceRecorder recorder) throws IOException;
    }

    /**
     * Records the new hidden fields of a bucket in the commit that changes them.
     *
     * @param changed the bucket after the change
     */
    public void recordHidden(BucketInfo changed, Commit commit) throws IOException {
        Optional<List<Set<String>>> hidden =
                changed.hidden()
                        .map(each -> List.of(names(each.encrypted()), names(each.committed())));
        SignedSettings.OfBucket ofBucket =
                new SignedSettings.OfBucket(changed.id(), changed.name().value(), hidden);
        writers.lock();
        try {
            ProvenanceRecorder recorder = log.recorder(STORE);
            recorder.set(settings.with(Optional.of(ofBucket)));
            commit.run(recorder);
        } finally {
            writers.unlock();
        }
    }
}

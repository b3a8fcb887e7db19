package io.volute.server.auditlog;

import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.format.Hash;
import io.volute.server.Limits;
import io.volute.server.auditlog.AuditEvent.Kind;
import io.volute.server.auditlog.AuditEvent.Outcome;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log. A thread with a line writes it together with the waiting lines of other threads,
 * with one force for all of them (group commit). Thread-safe.
 */
public final class AuditLog implements AuditTrail, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

    /** Time between two seals, when there are new lines. */
    static final Duration SEALED_EVERY = Duration.ofMinutes(Limits.AUDIT_LOG_SEAL_MINUTES);

    /** Time between two lines of refusals. */
    static final Duration REFUSALS_EVERY = Duration.ofMinutes(1);

    private final Settings settings;
    private final InstantSource clock;
    private final Sealer sealer;
    private final Refusals refusals = new Refusals();
    private final LongAdder written = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder lost = new LongAdder();

    /** Guards the list of waiting lines. */
    private final ReentrantLock waitingLock = new ReentrantLock();

    private List<Waiting> waiting = new ArrayList<>();

    /** Guards all fields below; never taken while the other lock is held. */
    private final ReentrantLock writing = new ReentrantLock();

    private final AuditFiles files;
    private final StoreDirectory data;
    private final AuditScan found;
    private final AuditRecord begin;
    private long first;
    private Optional<AuditRecord> recorded = Optional.empty();
    private boolean isFailing;
    private long untold;
    private long sealedSequence;
    private Instant sealed = Instant.MIN;
    private Instant told = Instant.MIN;

    /**
     * The place and the size of the log.
     *
     * @param directory absolute
     * @param fileBytesMax bytes of a file from which on a new file is begun
     * @param filesMax number of files to keep; 0 keeps all
     */
    public record Settings(Path directory, long fileBytesMax, long filesMax) {}

    /** Signs lines for the store. */
    @FunctionalInterface
    public interface Sealer {
        /** Signs the last line; returns empty while nothing is signed here. */
        Optional<LogSeal> seal(long sequence, Hash hash);
    }

    private static final class Waiting {
        private final AuditEvent event;
        private boolean isWritten;
        private Optional<IOException> failure = Optional.empty();

        Waiting(AuditEvent event) {
            this.event = event;
        }
    }

    private AuditLog(
            Settings settings,
            StoreDirectory data,
            AuditScan found,
            AuditFiles files,
            Sealer sealer,
            InstantSource clock) {
        this.settings = settings;
        this.data = data;
        this.found = found;
        this.begin = found.next();
        this.first = begin.first();
        this.files = files;
        this.sealer = sealer;
        this.clock = clock;
    }

    /**
     * Continues the log of a directory, or begins one. Writes nothing yet.
     *
     * @param data has the record of how far the log went
     * @throws IOException when the existing files cannot be read
     */
    public static AuditLog open(
            Settings settings,
            StoreDirectory data,
            FileSystem files,
            Sealer sealer,
            InstantSource clock)
            throws IOException {
        AuditScan found = AuditScan.of(files, data.directory(), settings.directory());
        AuditFiles open = AuditFiles.open(files, settings.directory(), clock, found);
        return new AuditLog(settings, data, found, open, sealer, clock);
    }

    /** Returns what was missing or changed when the log was opened; empty when nothing was. */
    public List<String> problems() {
        return found.problems();
    }

    // ---- recording of events

    /**
     * The server answers from now on.
     *
     * @param details settings that matter; no secrets
     * @throws IOException when the line cannot be written
     */
    public void started(Map<String, ?> details) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>(details);
        if (!problems().isEmpty()) {
            all.put("auditLogProblems", problems());
        }
        found.former()
                .ifPresent(
                        former -> {
                            all.put("formerLog", former.directory());
                            all.put("formerLast", former.last());
                            all.put("formerLastHash", former.hash().hex());
                        });
        append(AuditEvent.of(Kind.SERVER_STARTED, all));
        writing.lock();
        try {
            record();
        } catch (IOException e) {
            LOG.warn("the end of the audit log cannot be recorded yet: {}", e.toString());
        } finally {
            writing.unlock();
        }
    }

    /** Records that stored data is damaged, as soon as the log can be written. */
    public void damage(String what) {
        tell(AuditEvent.of(Kind.DAMAGE, Map.of("problem", what)));
    }

    @Override
    public Deed begin(HttpHead head, About about, Map<String, ?> details, IfUnwritten then) {
        try {
            append(AuditEvent.of(head, about, Outcome.BEGUN, details));
        } catch (IOException e) {
            if (then == IfUnwritten.REFUSED) {
                throw new AuditUnavailableException(e);
            }
            lose();
        }
        return (code, more) ->
                tell(
                        AuditEvent.of(
                                head,
                                code.isEmpty() ? about : about.failing(code),
                                code.isEmpty() ? Outcome.DONE : Outcome.FAILED,
                                more));
    }

    @Override
    public void done(HttpHead head, About about, Map<String, ?> details) {
        try {
            append(AuditEvent.of(head, about, Outcome.DONE, details));
        } catch (IOException e) {
            throw new AuditUnavailableException(e);
        }
    }

    @Override
    public void refused(HttpHead head, About about, String code) {
        refusals.add(head, about, code);
    }

    private void tell(AuditEvent event) {
        try {
            append(event);
        } catch (IOException e) {
            lose();
        }
    }

    private void lose() {
        lost.increment();
        writing.lock();
        try {
            untold++;
        } finally {
            writing.unlock();
        }
    }

    /** Lines so far that were written. */
    public long written() {
        return written.sum();
    }

    /** Attempts to write that failed. */
    public long failures() {
        return failures.sum();
    }

    /**
     * Returns the number of lines so far that could not be written although their action was done.
     */
    public long lost() {
        return lost.sum();
    }

    // ---- writing

    private void append(AuditEvent event) throws IOException {
        Waiting mine = new Waiting(event);
        waitingLock.lock();
        try {
            waiting.add(mine);
        } finally {
            waitingLock.unlock();
        }
        writing.lock();
        try {
            // The previous holder of the lock may have written the line.
            if (!mine.isWritten && mine.failure.isEmpty()) {
                writeWaiting();
            }
        } finally {
            writing.unlock();
        }
        if (mine.failure.isPresent()) {
            throw new IOException(mine.failure.get().getMessage(), mine.failure.get());
        }
    }

    private void writeWaiting() {
        List<Waiting> batch;
        waitingLock.lock();
        try {
            batch = waiting;
            waiting = new ArrayList<>();
        } finally {
            waitingLock.unlock();
        }
        try {
            write(batch.stream().map(each -> each.event).toList());
            batch.forEach(each -> each.isWritten = true);
        } catch (IOException e) {
            batch.forEach(each -> each.failure = Optional.of(e));
        } catch (RuntimeException e) {
            IOException failure = new IOException("a line could not be made", e);
            batch.forEach(each -> each.failure = Optional.of(failure));
        }
    }

    private void write(List<AuditEvent> events) throws IOException {
        append(events);
        if (files.bytes() >= settings.fileBytesMax()) {
            endFile();
        }
    }

    private void append(List<AuditEvent> events) throws IOException {
        try {
            files.append(events, untold);
        } catch (IOException e) {
            failures.increment();
            if (!isFailing) {
                LOG.error(
                        "the audit log cannot be written to {}; changes by operators and of rights"
                                + " are refused until it can be: {}",
                        files,
                        e.toString());
            }
            isFailing = true;
            throw e;
        }
        if (isFailing) {
            LOG.info("the audit log is written to {} again", files);
        }
        isFailing = false;
        untold = 0;
        written.add(events.size());
    }

    /**
     * Ends the current file. A failure here is not reported: it recurs with the next line, or the
     * work is done the next time.
     */
    private void endFile() {
        try {
            seal();
            files.endFile();
            Optional<AuditFiles.Oldest> oldest = oldest();
            while (oldest.isPresent()) {
                append(List.of(oldest.get().removal()));
                first = oldest.get().last() + 1;
                // Before the file goes: else it would be missed after a crash.
                record();
                files.remove(oldest.get());
                LOG.info("the audit log drops its oldest file {}", oldest.get().name());
                oldest = oldest();
            }
        } catch (IOException e) {
            LOG.warn(
                    "a file of the audit log could not be ended as it should be: {}", e.toString());
        }
    }

    /** The file that comes next counts. */
    private Optional<AuditFiles.Oldest> oldest() throws IOException {
        long kept = settings.filesMax() - (files.bytes() == 0 ? 1 : 0);
        return settings.filesMax() == 0 ? Optional.empty() : files.oldest(kept);
    }

    private void seal() throws IOException {
        Optional<LogSeal> signed =
                files.sequence() == sealedSequence
                        ? Optional.empty()
                        : sealer.seal(files.sequence(), files.hash());
        if (signed.isEmpty()) {
            return;
        }
        LogSeal seal = signed.get();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("sealed", seal.body().sequence());
        details.put("store", seal.body().storeId().hex());
        details.put("seal", Base64.getEncoder().encodeToString(seal.encode().toArray()));
        append(List.of(AuditEvent.of(Kind.SEALED, details)));
        sealedSequence = files.sequence();
        sealed = clock.instant();
    }

    /** Records how far the log has come, if it has since. All these lines are durable. */
    private void record() throws IOException {
        AuditRecord now =
                new AuditRecord(
                        begin.directory(), first, files.sequence(), files.hash(), begin.unproven());
        if (!recorded.equals(Optional.of(now))) {
            data.remember(AuditRecord.NAME, now.lines());
            data.keepForGood(AuditRecord.NAME);
            recorded = Optional.of(now);
        }
    }

    /**
     * Records refusals and seals the log when they are due, and how far it has come. The caller
     * repeats it every few seconds.
     */
    public void look() throws IOException {
        writing.lock();
        try {
            Instant now = clock.instant();
            if (!now.isBefore(told.plus(REFUSALS_EVERY))) {
                tellRefusals();
                told = now;
            }
            if (!now.isBefore(sealed.plus(SEALED_EVERY))) {
                seal();
                sealed = now;
            }
            record();
        } finally {
            writing.unlock();
        }
    }

    private void tellRefusals() throws IOException {
        Optional<AuditEvent> event = refusals.take();
        if (event.isPresent()) {
            try {
                write(List.of(event.get()));
            } catch (IOException e) {
                lost.increment();
                untold++;
                throw e;
            }
        }
    }

    /** Tells that the server stops, seals, and closes the file. */
    @Override
    public void close() throws IOException {
        writing.lock();
        try {
            tellRefusals();
            write(List.of(AuditEvent.of(Kind.SERVER_STOPPED, Map.of())));
            seal();
            record();
        } finally {
            files.close();
            writing.unlock();
        }
    }
}

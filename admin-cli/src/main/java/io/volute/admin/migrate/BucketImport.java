package io.volute.admin.migrate;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.migrate.ImportReport.Figures;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.admin.s3.S3Client;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Imports one bucket: its settings, and its keys in parallel. Used by one thread. */
final class BucketImport {
    private final S3Client source;
    private final S3Client target;
    private final BucketPair pair;
    private final ImportReport report;
    private final ServerOptions server;
    private final AtomicReference<UncheckedIOException> unwritten = new AtomicReference<>();

    BucketImport(
            S3Client source,
            S3Client target,
            BucketPair pair,
            ImportReport report,
            ServerOptions server) {
        this.source = source;
        this.target = target;
        this.pair = pair;
        this.report = report;
        this.server = server;
    }

    /**
     * Imports the bucket.
     *
     * @param workers keys that are imported at the same time
     * @throws IOException if the source cannot be listed, or the target cannot take it
     */
    void run(int workers) throws IOException, InterruptedException {
        BucketSettings settings = new BucketSettings(source, target, pair, report);
        SourceGrants grants = settings.before();
        Progress counting = server.progress("listing " + pair.source());
        long total = count(counting);
        counting.end();
        Progress progress = server.progress("importing " + pair.source());
        long before = report.figures().done();
        VersionCopy copy = new VersionCopy(source, target, pair, grants, server.context());
        KeyImport keys = new KeyImport(target, pair, copy, report);
        VersionList found = new VersionList(source, pair.source(), pair.prefix());
        VersionList there = new VersionList(target, pair.target(), pair.prefix());
        Semaphore free = new Semaphore(workers);
        try (ExecutorService running = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Optional<KeyVersions> key = found.next(); key.isPresent(); key = found.next()) {
                KeyVersions versions = key.get();
                KeyVersions own = there.skipTo(versions.key());
                free.acquire();
                running.execute(() -> run(keys, versions, own, free));
                show(progress, before, total);
                requireReport();
            }
            while (!free.tryAcquire(workers)) {
                server.context().pause().pass();
                show(progress, before, total);
            }
        } finally {
            progress.end();
        }
        requireReport();
        settings.after(grants);
    }

    /** Ends the import when a worker could not write the report. */
    private void requireReport() {
        UncheckedIOException failure = unwritten.get();
        if (failure != null) {
            throw failure;
        }
    }

    private void run(KeyImport keys, KeyVersions versions, KeyVersions own, Semaphore free) {
        try {
            keys.run(versions, own);
        } catch (UncheckedIOException e) {
            unwritten.compareAndSet(null, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            free.release();
        }
    }

    private long count(Progress progress) throws IOException, InterruptedException {
        VersionList list = new VersionList(source, pair.source(), pair.prefix());
        long count = 0;
        for (Optional<KeyVersions> key = list.next(); key.isPresent(); key = list.next()) {
            count += key.get().versions().size();
            progress.at(count, 0, "version", "");
        }
        return count;
    }

    private void show(Progress progress, long before, long total) {
        Figures now = report.figures();
        progress.at(
                now.done() - before,
                total,
                "version",
                now.bytes(),
                now.present() + " there already, " + AnswerFormat.count(now.problems(), "problem"));
    }
}

package io.volute.distribution.backup;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Printing;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.DamageApi.Damaged;
import io.volute.server.backup.ContentVerification;
import io.volute.server.backup.ContentVerification.Outcome;
import io.volute.server.backup.Manifest;
import io.volute.server.backup.Repository;
import io.volute.server.damage.DamageList;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.Contents;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The verification of the contents of one snapshot, and its report. Used by one thread. */
final class ContentsRun implements ContentVerification.Watch {
    /** Damaged versions of a JSON document; as lines all of them are printed. */
    private static final int MOST_DAMAGED = 10_000;

    private static final int MOST_UNPROVEN = 100;
    private static final long INDEX_BYTES = 128L << 20;

    private final TargetOptions target;
    private final CommandContext context;
    private final String snapshot;
    private final Progress restoring;
    private final Progress verifying;
    private final FileSystem files = new OsFileSystem();
    private final List<Map<String, Object>> damaged = new ArrayList<>();
    private final List<Map<String, Object>> unproven = new ArrayList<>();
    private long unprovenShown;

    ContentsRun(TargetOptions target, CommandContext context, Printing printing, String snapshot) {
        this.target = target;
        this.context = context;
        this.snapshot = snapshot;
        this.restoring = printing.progress("restoring", target.isJson());
        this.verifying = printing.progress("verifying", target.isJson());
    }

    /** The result for one snapshot: its document, and what was found. */
    record Result(Map<String, Object> document, boolean isDamaged, boolean isUnproven) {}

    /** Verifies a snapshot in a temporary directory, which is deleted at the end. */
    Result run(Repository repository, Manifest manifest, Path place, Optional<Path> keys)
            throws IOException {
        requireRoom(manifest, place);
        Outcome outcome;
        try (Scratch scratch = Scratch.make(files, place)) {
            say(
                    "restoring "
                            + AnswerFormat.bytes(manifest.bytes())
                            + " to "
                            + scratch.data().getParent()
                            + ", which is deleted at the end");
            SnapshotKeys opening =
                    new SnapshotKeys(
                            files,
                            context.clock(),
                            context.environment(),
                            scratch.data(),
                            keys,
                            manifest.leftOut());
            outcome =
                    new ContentVerification(
                                    repository,
                                    new ContentVerification.Means(
                                            files, context.clock(), new SecureRandom()),
                                    this)
                            .run(manifest, scratch.data(), opening);
        }
        verifying.end();
        outcome.lost().forEach(each -> say("damaged backup: " + each));
        boolean isDamaged = outcome.damaged() > 0 || !outcome.lost().isEmpty();
        boolean isUnproven = outcome.unproven() > 0;
        if (outcome.unproven() > unprovenShown) {
            say("not verified: " + (outcome.unproven() - unprovenShown) + " more");
        }
        say(
                (isDamaged ? "damaged" : isUnproven ? "not all verified" : "all verified")
                        + ", "
                        + outcome.states()
                        + " versions and states, "
                        + AnswerFormat.bytes(outcome.bytes())
                        + ", "
                        + outcome.damaged()
                        + " damaged, "
                        + outcome.unproven()
                        + " not verified");
        return new Result(document(outcome), isDamaged, isUnproven);
    }

    private Map<String, Object> document(Outcome outcome) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("snapshot", snapshot);
        document.put("problems", outcome.lost());
        document.put("states", outcome.states());
        document.put("bytes", outcome.bytes());
        document.put("damaged", damaged);
        document.put("moreDamaged", outcome.damaged() - damaged.size());
        document.put("unproven", unproven);
        document.put("moreUnproven", outcome.unproven() - unproven.size());
        return document;
    }

    private void requireRoom(Manifest manifest, Path place) throws IOException {
        long needed = manifest.bytes() + manifest.cubes().size() * INDEX_BYTES;
        long usable = files.usableBytes(place);
        if (usable < needed) {
            throw new IOException(
                    "the contents need "
                            + AnswerFormat.bytes(needed)
                            + " in "
                            + place
                            + ", which has "
                            + AnswerFormat.bytes(usable)
                            + ": name another directory with --scratch");
        }
    }

    @Override
    public void restored(long done, long total, long bytes) {
        restoring.at(done, total, "file", bytes, "");
        if (done == total) {
            restoring.end();
        }
    }

    @Override
    public void verified(
            String cube, Contents.Verified verified, long done, long total, long bytes) {
        verifying.at(done, total, "version", bytes, "cube " + cube);
        switch (verified.verdict()) {
            case SOUND -> {}
            case DAMAGED -> {
                if (damaged.size() < MOST_DAMAGED) {
                    damaged.add(document(cube, verified));
                }
                say(cube, "damaged: ", verified);
            }
            case UNPROVEN -> {
                if (unproven.size() < MOST_UNPROVEN) {
                    unproven.add(document(cube, verified));
                    unprovenShown++;
                    say(cube, "not verified: ", verified);
                }
            }
        }
    }

    private static Map<String, Object> document(String cube, Contents.Verified verified) {
        return Map.of(
                "state", DamageList.document(cube, verified.state()), "why", verified.words());
    }

    private void say(String cube, String verdict, Contents.Verified verified) {
        Damaged state = DamageList.document(cube, verified.state());
        String part = state.what().map(text -> ", " + text).orElse("");
        verifying.end();
        say(verdict + state.words() + part + ": " + verified.words());
    }

    private void say(String text) {
        if (!target.isJson()) {
            target.out().println(snapshot + ": " + AnswerFormat.visible(text));
            target.out().flush();
        }
    }
}

package io.volute.versioning.rows;

import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.rows.codec.EncodedRow;
import io.volute.versioning.rows.codec.RowFormatException;
import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import java.time.Instant;
import java.util.Optional;

/**
 * A row of {@code restores}. All of it is in the summary, because there are few.
 *
 * <pre>
 *   octet   2, the version of this layout
 *   octet   phase: 0 running, 1 done, 2 failed, 3 cancelled
 *   varint  began, milliseconds since 1970
 *   text    principal and access key of the caller that began it
 *   varint  keys looked at, restored, skipped
 *   text    the last key looked at, or empty
 *   text    message
 *   text    bucket and prefix
 *   octet   on conflict: 0 skip, 1 overwrite
 *   octet   goal, followed by its fields:
 *     0 varint  instant         1 varint  actor, varint  since     2 text  name, varint  since
 *     3 text  access key, varint  since     4 text  bucket, key, version id
 *     5 text  user, varint  since           6 text  name, user, varint  since
 *   parent  as in a row of {@code actors}: the lasting access key of a session
 * </pre>
 *
 * Layout 1 ends behind the goal.
 *
 * @param after keys up to this one are done
 */
public record RestoreRow(
        Request request,
        Phase phase,
        Instant began,
        String principal,
        String accessKey,
        Optional<Parent> parent,
        long looked,
        long restored,
        long skipped,
        String after,
        String message) {
    private static final int LAYOUT = 2;
    private static final int LAYOUT_WITHOUT_PARENT = 1;
    private static final int TO_INSTANT = 0;
    private static final int UNDO_ACTOR = 1;
    private static final int UNDO_NAME = 2;
    private static final int UNDO_ACCESS_KEY = 3;
    private static final int BEFORE_TAINT = 4;
    private static final int UNDO_USER = 5;
    private static final int UNDO_NAME_OF_USER = 6;

    /** Returns the same restore with more progress. */
    public RestoreRow further(long moreLooked, long moreRestored, long moreSkipped, String key) {
        return new RestoreRow(
                request,
                phase,
                began,
                principal,
                accessKey,
                parent,
                looked + moreLooked,
                restored + moreRestored,
                skipped + moreSkipped,
                key,
                message);
    }

    /** Returns the same restore after its end. */
    public RestoreRow ended(Phase how, String why) {
        return new RestoreRow(
                request, how, began, principal, accessKey, parent, looked, restored, skipped, after,
                why);
    }

    public EncodedRow encode() {
        RowOutput output = new RowOutput();
        output.octet(LAYOUT).octet(phase.ordinal()).varint(began.toEpochMilli());
        output.text(principal).text(accessKey);
        output.varint(looked).varint(restored).varint(skipped).text(after).text(message);
        output.text(request.bucket().value()).text(request.prefix());
        output.octet(request.onConflict().ordinal());
        write(output, request.goal());
        ActorRow.write(output, parent);
        return EncodedRow.of(output.toBytes());
    }

    private static void write(RowOutput output, Goal goal) {
        switch (goal) {
            case Goal.ToInstant to -> output.octet(TO_INSTANT).varint(to.instant().toEpochMilli());
            case Goal.UndoActor undo ->
                    output.octet(UNDO_ACTOR)
                            .varint(undo.actor())
                            .varint(undo.since().toEpochMilli());
            case Goal.UndoName undo -> {
                output.octet(undo.user().isPresent() ? UNDO_NAME_OF_USER : UNDO_NAME);
                output.text(undo.name());
                undo.user().ifPresent(output::text);
                output.varint(undo.since().toEpochMilli());
            }
            case Goal.UndoUser undo ->
                    output.octet(UNDO_USER).text(undo.user()).varint(undo.since().toEpochMilli());
            case Goal.UndoAccessKey undo ->
                    output.octet(UNDO_ACCESS_KEY)
                            .text(undo.accessKey())
                            .varint(undo.since().toEpochMilli());
            case Goal.BeforeTaint taint ->
                    output.octet(BEFORE_TAINT)
                            .text(taint.bucket().value())
                            .text(taint.key().value())
                            .text(taint.version().map(VersionId::format).orElse(""));
        }
    }

    public static RestoreRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_PARENT, LAYOUT, "restore");
        Phase phase = Phase.values()[input.octet() & 3];
        Instant began = Instant.ofEpochMilli(input.varint());
        String principal = input.text();
        String accessKey = input.text();
        long looked = input.varint();
        long restored = input.varint();
        long skipped = input.varint();
        String after = input.text();
        String message = input.text();
        BucketName bucket = new BucketName(input.text());
        String prefix = input.text();
        OnConflict onConflict = OnConflict.values()[input.octet() & 1];
        Request request = new Request(bucket, prefix, goal(input), onConflict);
        Optional<Parent> parent =
                layout == LAYOUT_WITHOUT_PARENT ? Optional.empty() : ActorRow.parent(input);
        return new RestoreRow(
                request, phase, began, principal, accessKey, parent, looked, restored, skipped,
                after, message);
    }

    private static Goal goal(RowInput input) {
        int kind = input.octet();
        return switch (kind) {
            case TO_INSTANT -> new Goal.ToInstant(instant(input));
            case UNDO_ACTOR -> new Goal.UndoActor(input.varint(), instant(input));
            case UNDO_NAME -> new Goal.UndoName(input.text(), instant(input));
            case UNDO_NAME_OF_USER ->
                    new Goal.UndoName(input.text(), Optional.of(input.text()), instant(input));
            case UNDO_USER -> new Goal.UndoUser(input.text(), instant(input));
            case UNDO_ACCESS_KEY -> new Goal.UndoAccessKey(input.text(), instant(input));
            case BEFORE_TAINT ->
                    new Goal.BeforeTaint(
                            new BucketName(input.text()),
                            new ObjectKey(input.text()),
                            Optional.of(input.text())
                                    .filter(id -> !id.isEmpty())
                                    .flatMap(VersionId::parse));
            default -> throw new RowFormatException("goal of a restore " + kind);
        };
    }

    private static Instant instant(RowInput input) {
        return Instant.ofEpochMilli(input.varint());
    }
}

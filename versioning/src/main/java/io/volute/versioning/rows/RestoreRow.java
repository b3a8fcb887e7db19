package io.volute.versioning.rows;

import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A row of {@code restores}. All of it is in the summary, because there are few.
 *
 * <pre>
 *   octet   3, the version of this layout
 *   octet   phase: 0 running, 1 done, 2 failed, 3 cancelled
 *   varint  began, milliseconds since 1970
 *   text    principal and access key of the caller that began it
 *   varint  keys looked at, restored, skipped, removed, unknown
 *   text    the last key looked at, or empty
 *   text    message
 *   text    bucket and prefix
 *   octet   on conflict: 0 skip, 1 overwrite
 *   octet   goal, followed by its fields:
 *     0 varint  instant         1 varint  actor, varint  since     2 text  name, varint  since
 *     3 text  access key, varint  since     4 text  bucket, key, version id
 *     5 text  user, varint  since           6 text  name, user, varint  since
 *     7 varint  since, octet  1 with derived states, else 0, and twice a varint with the number of
 *       sources, of each an octet, followed by its fields:
 *       0 varint  actor     1 text  name, user or empty     2 text  access key     3 text  user
 *       4 text  bucket, key, version id                     5 text  id of a restore
 *   parent  as in a row of {@code actors}: the lasting access key of a session
 * </pre>
 *
 * The first sources of goal 7 are those of the undo, the second are avoided. Layout 2 has no counts
 * of removed and unknown keys. Layout 1 ends behind the goal as well. Both have the goals 1 to 6,
 * which condemn no derived states, except 4.
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
        long removed,
        long skipped,
        long unknown,
        String after,
        String message) {
    private static final int LAYOUT = 3;
    private static final int LAYOUT_WITHOUT_COUNTS = 2;
    private static final int LAYOUT_WITHOUT_PARENT = 1;
    private static final int TO_INSTANT = 0;
    private static final int UNDO_ACTOR = 1;
    private static final int UNDO_NAME = 2;
    private static final int UNDO_ACCESS_KEY = 3;
    private static final int BEFORE_TAINT = 4;
    private static final int UNDO_USER = 5;
    private static final int UNDO_NAME_OF_USER = 6;
    private static final int UNDO = 7;
    private static final int ACTOR = 0;
    private static final int NAME = 1;
    private static final int ACCESS_KEY = 2;
    private static final int USER = 3;
    private static final int VERSION = 4;
    private static final int RUN = 5;

    /**
     * The keys of one commit.
     *
     * @param restored those that were put back or removed
     * @param removed those of them that were removed
     * @param skipped those that were left
     * @param unknown those of them whose state to put back is not known
     */
    public record Progress(long looked, long restored, long removed, long skipped, long unknown) {}

    /** Returns the row of a restore that begins. */
    public static RestoreRow begin(Request request, Instant began, Caller caller) {
        return new RestoreRow(
                request,
                Phase.RUNNING,
                began,
                caller.principal(),
                caller.accessKey(),
                caller.parent(),
                0,
                0,
                0,
                0,
                0,
                "",
                "");
    }

    /** Returns the same restore with more progress, up to a key. */
    public RestoreRow further(Progress more, String key) {
        return new RestoreRow(
                request,
                phase,
                began,
                principal,
                accessKey,
                parent,
                looked + more.looked(),
                restored + more.restored(),
                removed + more.removed(),
                skipped + more.skipped(),
                unknown + more.unknown(),
                key,
                message);
    }

    /** Returns the same restore after its end. */
    public RestoreRow ended(Phase how, String why) {
        return new RestoreRow(
                request, how, began, principal, accessKey, parent, looked, restored, removed,
                skipped, unknown, after, why);
    }

    public EncodedRow encode() {
        RowOutput output = new RowOutput();
        output.octet(LAYOUT).octet(phase.ordinal()).varint(began.toEpochMilli());
        output.text(principal).text(accessKey);
        output.varint(looked).varint(restored).varint(skipped).varint(removed).varint(unknown);
        output.text(after).text(message);
        output.text(request.bucket().value()).text(request.prefix());
        output.octet(request.onConflict().ordinal());
        write(output, request.goal());
        ActorRow.write(output, parent);
        return EncodedRow.of(output.toBytes());
    }

    private static void write(RowOutput output, Goal goal) {
        switch (goal) {
            case Goal.ToInstant to -> output.octet(TO_INSTANT).varint(to.instant().toEpochMilli());
            case Goal.Undo undo -> {
                output.octet(UNDO)
                        .varint(undo.since().toEpochMilli())
                        .octet(undo.withDerived() ? 1 : 0);
                write(output, undo.sources());
                write(output, undo.avoided());
            }
        }
    }

    private static void write(RowOutput output, List<Source> sources) {
        output.varint(sources.size());
        for (Source source : sources) {
            switch (source) {
                case Source.Actor actor -> output.octet(ACTOR).varint(actor.id());
                case Source.Name name ->
                        output.octet(NAME).text(name.name()).text(name.user().orElse(""));
                case Source.AccessKey key -> output.octet(ACCESS_KEY).text(key.accessKey());
                case Source.User user -> output.octet(USER).text(user.user());
                case Source.Version version ->
                        output.octet(VERSION)
                                .text(version.bucket().value())
                                .text(version.key().value())
                                .text(version.version().map(VersionId::format).orElse(""));
                case Source.Run run -> output.octet(RUN).text(run.id());
            }
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
        boolean isCounted = layout > LAYOUT_WITHOUT_COUNTS;
        long removed = isCounted ? input.varint() : 0;
        long unknown = isCounted ? input.varint() : 0;
        String after = input.text();
        String message = input.text();
        BucketName bucket = new BucketName(input.text());
        String prefix = input.text();
        OnConflict onConflict = OnConflict.values()[input.octet() & 1];
        Request request = new Request(bucket, prefix, goal(input), onConflict);
        Optional<Parent> parent =
                layout == LAYOUT_WITHOUT_PARENT ? Optional.empty() : ActorRow.parent(input);
        return new RestoreRow(
                request, phase, began, principal, accessKey, parent, looked, restored, removed,
                skipped, unknown, after, message);
    }

    private static Goal goal(RowInput input) {
        int kind = input.octet();
        return switch (kind) {
            case TO_INSTANT -> new Goal.ToInstant(instant(input));
            case UNDO_ACTOR -> alone(new Source.Actor(input.varint()), input);
            case UNDO_NAME -> alone(new Source.Name(input.text(), Optional.empty()), input);
            case UNDO_NAME_OF_USER ->
                    alone(new Source.Name(input.text(), Optional.of(input.text())), input);
            case UNDO_USER -> alone(new Source.User(input.text()), input);
            case UNDO_ACCESS_KEY -> alone(new Source.AccessKey(input.text()), input);
            case BEFORE_TAINT -> Goal.undo(version(input), Instant.EPOCH);
            case UNDO -> {
                Instant since = instant(input);
                boolean withDerived = input.octet() != 0;
                yield new Goal.Undo(sources(input), sources(input), since, withDerived);
            }
            default -> throw new RowFormatException("goal of a restore " + kind);
        };
    }

    private static Goal alone(Source source, RowInput input) {
        return new Goal.Undo(List.of(source), List.of(), instant(input), false);
    }

    private static List<Source> sources(RowInput input) {
        List<Source> sources = new ArrayList<>();
        int count = input.size();
        for (int i = 0; i < count; i++) {
            int kind = input.octet();
            sources.add(
                    switch (kind) {
                        case ACTOR -> new Source.Actor(input.varint());
                        case NAME -> new Source.Name(input.text(), given(input.text()));
                        case ACCESS_KEY -> new Source.AccessKey(input.text());
                        case USER -> new Source.User(input.text());
                        case VERSION -> version(input);
                        case RUN -> new Source.Run(input.text());
                        default -> throw new RowFormatException("source of an undo " + kind);
                    });
        }
        return sources;
    }

    private static Source.Version version(RowInput input) {
        return new Source.Version(
                new BucketName(input.text()),
                new ObjectKey(input.text()),
                given(input.text()).flatMap(VersionId::parse),
                Optional.empty());
    }

    private static Optional<String> given(String text) {
        return Optional.of(text).filter(each -> !each.isEmpty());
    }

    private static Instant instant(RowInput input) {
        return Instant.ofEpochMilli(input.varint());
    }
}

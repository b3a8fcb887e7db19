package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.volute.versioning.History;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Authors;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.ActorName.Kind;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The actions of a thief with sessions of a stolen key, and under names of others. */
class StolenSessionTest extends PastFixture {
    private static final Caller ADMIN = new Caller("root", "key-r", "console");
    private static final String HOME = "192.0.2.7";
    private static final String ABROAD = "198.51.100.66";
    private static final Parent STOLEN = new Parent("alice", "key-a");

    private static final Caller VICTIM = lasting(Kind.PROGRAM, "aws-cli/2", HOME);
    private static final Caller SESSION = session("alice", "VT1", Kind.SESSION, "session-1");
    private static final Caller ROLE = session("deployer", "VT2", Kind.SESSION, "deploy");

    private static Caller lasting(Kind kind, String name, String address) {
        return new Caller(
                "alice",
                "key-a",
                Optional.empty(),
                new ActorName(kind, name, address),
                Optional.empty());
    }

    private static Caller session(String principal, String key, Kind kind, String name) {
        return new Caller(
                principal,
                key,
                Optional.of(STOLEN),
                new ActorName(kind, name, ABROAD),
                Optional.empty());
    }

    private static Request request(Goal goal) {
        return new Request(BUCKET, "", goal, OnConflict.SKIP);
    }

    private Plan plan(Goal goal) throws IOException {
        return store.restore().plan(ADMIN, request(goal), Optional.empty(), 100);
    }

    private List<String> keys(Goal goal) throws IOException {
        return plan(goal).entries().stream().map(line -> line.key().value()).toList();
    }

    private long restored(Caller caller, Goal goal) throws IOException {
        return ended(store.restore().start(caller, request(goal)).id()).restored();
    }

    private List<String> activity(ActorFilter who) throws IOException {
        ActivityFilter filter =
                new ActivityFilter(Optional.empty(), who, Optional.empty(), Optional.empty());
        return store.history().activity(filter, Optional.empty(), 100).entries().stream()
                .map(each -> each.key().value())
                .toList();
    }

    private List<String> actors(ActorFilter who) throws IOException {
        return store.history().actors(who, Optional.empty(), 100).entries().stream()
                .map(actor -> actor.accessKey())
                .toList();
    }

    private Instant ruined() throws IOException {
        for (String key : List.of("a", "b", "c", "d")) {
            put(BOB, key, "right");
        }
        Instant good = tick();
        put(lasting(Kind.PROGRAM, "curl", ABROAD), "a", "wrong");
        put(SESSION, "b", "wrong");
        put(ROLE, "c", "wrong");
        put(session("alice", "VT3", Kind.CHOSEN, "nightly"), "d", "wrong");
        put(new Caller("alice", "key-other", "phone"), "e", "of another key");
        tick();
        return good;
    }

    private static final Caller BOB = new Caller("bob", "key-b", "bob");

    @Test
    void aKeyIsUndoneWithItsSessions() throws IOException {
        Instant good = ruined();
        Goal undo = Restore.Goal.undo(new Restore.Source.AccessKey("key-a"), good);
        assertThat(keys(undo)).containsExactly("a", "b", "c", "d");
        Authors authors = plan(undo).authors();
        assertThat(authors.sessions()).isEqualTo(3);
        assertThat(authors.total()).isEqualTo(4);
        assertThat(authors.authors())
                .extracting(
                        author -> author.actor().accessKey(),
                        author -> author.actor().user(),
                        author -> author.writes())
                .containsExactly(
                        tuple("key-a", "alice", 1L),
                        tuple("VT1", "alice", 1L),
                        tuple("VT2", "alice", 1L),
                        tuple("VT3", "alice", 1L));
        assertThat(actors(ActorFilter.ofAccessKey("key-a")))
                .containsExactly("VT3", "VT2", "VT1", "key-a");
        assertThat(activity(ActorFilter.ofAccessKey("key-a"))).containsExactly("a", "b", "c", "d");
        assertThat(keys(Restore.Goal.undo(new Restore.Source.AccessKey("VT1"), good)))
                .containsExactly("b");
        assertThat(restored(ADMIN, undo)).isEqualTo(4);
        assertThat(contents(store))
                .isEqualTo(
                        Map.of(
                                "a",
                                "right",
                                "b",
                                "right",
                                "c",
                                "right",
                                "d",
                                "right",
                                "e",
                                "of another key"));
    }

    @Test
    void aUserIsUndoneWithAllKeysAndSessions() throws IOException {
        Instant good = ruined();
        // Somebody else's session of the same role, and a role that is called as the user.
        put(
                new Caller(
                        "alice",
                        "VT9",
                        Optional.of(new Parent("carol", "key-c")),
                        ActorName.of("x"),
                        Optional.empty()),
                "f",
                "of carol");
        Goal undo = Restore.Goal.undo(new Restore.Source.User("alice"), good);
        assertThat(keys(undo)).containsExactly("a", "b", "c", "d", "e");
        assertThat(keys(Restore.Goal.undo(new Restore.Source.User("deployer"), good))).isEmpty();
        assertThat(keys(Restore.Goal.undo(new Restore.Source.User("carol"), good)))
                .containsExactly("f");
        assertThat(activity(ActorFilter.ofUser("alice"))).containsExactly("a", "b", "c", "d", "e");
        assertThat(restored(ADMIN, undo)).isEqualTo(5);
    }

    @Test
    void taintIsTracedBackToASessionByItsKeyAndUser() throws IOException {
        put(BOB, "source", "right");
        tick();
        put(ROLE, "source", "wrong");
        assertThat(read(BOB, "source")).isEqualTo("wrong");
        put(BOB, "derived", "of wrong");
        tick();
        for (Restore.Source cause :
                List.of(new Restore.Source.AccessKey("key-a"), new Restore.Source.User("alice"))) {
            Goal taint =
                    Restore.Goal.undo(
                            new Restore.Source.Version(
                                    BUCKET,
                                    new ObjectKey("derived"),
                                    Optional.empty(),
                                    Optional.of(cause)),
                            Instant.EPOCH);
            assertThat(keys(taint)).containsExactly("derived", "source");
        }
        assertThat(
                        store.history()
                                .trace(
                                        History.Direction.BACK,
                                        BUCKET,
                                        new ObjectKey("derived"),
                                        Optional.empty(),
                                        Optional.empty(),
                                        100)
                                .entries())
                .extracting(History.Step::node)
                .filteredOn(History.Node.OfActor.class::isInstance)
                .extracting(node -> ((History.Node.OfActor) node).actor().actor().parent())
                .contains(Optional.of(STOLEN));
    }

    /** A restore is what its key did, also when a session began it. */
    @Test
    void aRestoreThatASessionBeganIsUndoneWithTheKey() throws IOException {
        put(new Caller("carol", "key-c", "carol"), "a", "old");
        Instant old = tick();
        put(BOB, "a", "new");
        Instant good = tick();
        assertThat(restored(SESSION, new Goal.ToInstant(old))).isEqualTo(1);
        tick();
        assertThat(contents(store)).containsEntry("a", "old");
        assertThat(restored(ADMIN, Restore.Goal.undo(new Restore.Source.AccessKey("key-a"), good)))
                .isEqualTo(1);
        assertThat(contents(store)).containsEntry("a", "new");
    }

    /** Names, sessions and programs that look like the victim's are another actor's. */
    @Test
    void whoTakesTheNameOfAnotherIsNotTheSameActor() throws IOException {
        List<Caller> impostors =
                List.of(
                        lasting(Kind.CHOSEN, HOME + " aws-cli/2", HOME),
                        lasting(Kind.CHOSEN, HOME + " aws-cli/2", ABROAD),
                        lasting(Kind.PROGRAM, "aws-cli/2", ABROAD),
                        session("alice", "VT1", Kind.CHOSEN, HOME + " aws-cli/2"));
        for (int i = 0; i < impostors.size(); i++) {
            String key = "key-" + i;
            put(VICTIM, key, "right");
            Instant good = tick();
            put(impostors.get(i), key, "wrong");
            tick();
            assertThat(keys(new Goal.ToInstant(good))).as("impostor " + i).contains(key);
        }
        Caller nightly = lasting(Kind.CHOSEN, "nightly", HOME);
        put(nightly, "job", "right");
        Instant good = tick();
        put(lasting(Kind.CHOSEN, "nightly", ABROAD), "job", "wrong");
        tick();
        assertThat(plan(new Goal.ToInstant(good)).entries())
                .filteredOn(line -> line.key().value().equals("job"))
                .singleElement()
                .matches(line -> line.exact() && line.then().isPresent());
    }

    @Test
    void aChosenNameIsNotUndoneForADerivedOne() throws IOException {
        Instant good = tick();
        String name = HOME + " aws-cli/2";
        put(VICTIM, "honest", "1");
        put(lasting(Kind.CHOSEN, name, ABROAD), "stolen", "1");
        tick();
        assertThatThrownBy(
                        () ->
                                plan(
                                        Restore.Goal.undo(
                                                new Restore.Source.Name(name, Optional.empty()),
                                                good)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("quotation marks");
        assertThat(
                        keys(
                                Restore.Goal.undo(
                                        new Restore.Source.Name('"' + name + '"', Optional.empty()),
                                        good)))
                .containsExactly("stolen");
    }

    @Test
    void namesakesOfSeveralUsersAreNotUndoneTogether() throws IOException {
        Instant good = tick();
        put(lasting(Kind.CHOSEN, "nightly", HOME), "a", "1");
        put(
                new Caller(
                        "bob",
                        "key-b",
                        Optional.empty(),
                        new ActorName(Kind.CHOSEN, "nightly", HOME),
                        Optional.empty()),
                "b",
                "1");
        tick();
        assertThatThrownBy(
                        () ->
                                plan(
                                        Restore.Goal.undo(
                                                new Restore.Source.Name(
                                                        "nightly", Optional.empty()),
                                                good)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("2 users")
                .hasMessageContaining("'alice', 'bob'");
        Goal alices =
                Restore.Goal.undo(new Restore.Source.Name("nightly", Optional.of("alice")), good);
        assertThat(keys(alices)).containsExactly("a");
        assertThat(restored(ADMIN, alices)).isEqualTo(1);
        assertThat(contents(store)).containsOnlyKeys("b");
    }
}

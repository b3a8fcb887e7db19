package io.volute.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.s3.S3TestBed;
import io.volute.versioning.Identities;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Identities: their rows on disk, and in the heap only while they are needed. */
@Tag("slow")
class IdentityMemoryTest {
    private static final Caller ROOT = new Caller("root", "ROOT", "test");
    private static final String ALLOW =
            "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"s3:GetObject\",\"Resource\":\"*\"}}";

    private final Rows rows = new Rows();

    /** Rows in memory, which several policies can share. */
    private static final class Rows implements Identities {
        private final TreeMap<String, Identity> all = new TreeMap<>();

        private static String key(int kind, String name) {
            return kind + "/" + name;
        }

        @Override
        public boolean follow() {
            return false;
        }

        @Override
        public void visit(IdentityVisitor visitor) throws IOException {
            for (Identity each : all.values()) {
                visitor.take(each);
            }
        }

        @Override
        public Optional<Identity> find(int kind, String name) {
            return Optional.ofNullable(all.get(key(kind, name)));
        }

        @Override
        public void change(List<Identity> written, List<Identity> removed, byte[] description) {
            written.forEach(each -> all.put(key(each.kind(), each.name()), each));
            removed.forEach(each -> all.remove(key(each.kind(), each.name())));
        }

        @Override
        public List<IdentityChange> changes(long after, int max) {
            return List.of();
        }
    }

    private final SecureRandom random = new SecureRandom();
    private Optional<MasterKey> master = Optional.empty();

    /** Opens the rows with the same master key each time. */
    private IdentityStore open() throws IOException {
        if (master.isEmpty()) {
            master = Optional.of(MasterKey.create(random, text -> {}));
        }
        return new IdentityStore(rows, master.get(), random, () -> S3TestBed.NOW, Set.of());
    }

    private void putPolicies(int count, int bytes) {
        byte[] content =
                ("{\"changed\":1,\"document\":\"" + "x".repeat(bytes) + "\"}")
                        .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < count; i++) {
            String name = "p" + (1000 + i);
            rows.all.put(
                    Rows.key(IdentityJson.POLICY, name),
                    new Identities.Identity(IdentityJson.POLICY, name, content));
        }
    }

    /** A document that the store itself keeps would be the same object again. */
    @Test
    void aDocumentLeavesTheHeapWhenOthersAreRead() throws IOException {
        putPolicies(200, 100_000);
        IdentityStore store = open();
        String first = store.policy("p1000").orElseThrow().document();
        assertThat(store.policy("p1000").orElseThrow().document()).isSameAs(first);
        assertThat(store.policies()).hasSize(200);
        for (ManagedPolicy each : store.policies()) {
            assertThat(each.document()).hasSize(100_000);
        }
        assertThat(store.policy("p1000").orElseThrow().document()).isNotSameAs(first);
    }

    @Test
    void allRowsTogetherAreBounded() throws IOException {
        putPolicies(65, 1 << 20);
        IdentityStore store = open();
        assertThatThrownBy(() -> store.putPolicy(ROOT, "more", ALLOW))
                .isInstanceOf(IdentityException.class)
                .hasMessageContaining("bytes at most together");
        store.replacePolicy(ROOT, "p1000", ALLOW);
        assertThat(store.policy("p1000").orElseThrow().document()).isEqualTo(ALLOW);
        store.removePolicy(ROOT, "p1001");
        store.putPolicy(ROOT, "more", ALLOW);
        assertThat(open().policy("more").orElseThrow().document()).isEqualTo(ALLOW);
    }

    @Test
    void keysOfUsersAreThoseOfTheRows() throws IOException {
        long seed = Long.getLong("volute.seed", 1);
        Random schedule = new Random(seed);
        IdentityStore store = open();
        Map<String, TreeSet<String>> model = new TreeMap<>();
        for (int i = 0; i < 4; i++) {
            model.put("user" + i, new TreeSet<>());
            store.add(ROOT, Kind.USER, "user" + i, Optional.empty(), IdentityDetails.NONE);
        }
        for (int step = 0; step < 100; step++) {
            String user = "user" + schedule.nextInt(4);
            TreeSet<String> keys = model.get(user);
            switch (schedule.nextInt(6)) {
                case 0 -> {
                    store.remove(ROOT, Kind.USER, user);
                    store.add(ROOT, Kind.USER, user, Optional.empty(), IdentityDetails.NONE);
                    keys.clear();
                }
                case 1, 2 -> {
                    if (!keys.isEmpty()) {
                        store.setKeyActive(ROOT, keys.first(), schedule.nextBoolean());
                        store.removeKey(ROOT, keys.pollLast());
                    }
                }
                default -> {
                    if (keys.size() < 8) {
                        keys.add(store.addKey(ROOT, user).accessKey());
                    }
                }
            }
            for (IdentityStore each : List.of(store, open())) {
                model.forEach(
                        (one, all) ->
                                assertThat(each.keysOf(one).stream().map(UserKey::accessKey))
                                        .as("seed %d", seed)
                                        .containsExactlyElementsOf(all));
            }
        }
    }

    @Test
    void membershipsAreThoseOfTheRows() throws IOException {
        long seed = Long.getLong("volute.seed", 1);
        Random schedule = new Random(seed);
        IdentityStore store = open();
        Map<String, TreeSet<String>> model = new TreeMap<>();
        List<String> users = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            users.add("user" + i);
            store.add(ROOT, Kind.USER, "user" + i, Optional.empty(), IdentityDetails.NONE);
        }
        for (int step = 0; step < 400; step++) {
            String group = "group" + schedule.nextInt(6);
            String user = users.get(schedule.nextInt(users.size()));
            if (!model.containsKey(group)) {
                store.add(ROOT, Kind.GROUP, group, Optional.empty(), IdentityDetails.NONE);
                model.put(group, new TreeSet<>());
            }
            switch (schedule.nextInt(8)) {
                case 0 -> {
                    store.remove(ROOT, Kind.GROUP, group);
                    model.remove(group);
                }
                case 1 -> {
                    store.remove(ROOT, Kind.USER, user);
                    store.add(ROOT, Kind.USER, user, Optional.empty(), IdentityDetails.NONE);
                    model.values().forEach(members -> members.remove(user));
                }
                case 2 -> {
                    String name = "group" + (6 + step);
                    store.moveGroup(ROOT, group, name, "/");
                    store.moveGroup(ROOT, name, group, "/");
                }
                case 3, 4 -> {
                    store.setMember(ROOT, group, user, false);
                    model.get(group).remove(user);
                }
                default -> {
                    store.setMember(ROOT, group, user, true);
                    model.get(group).add(user);
                }
            }
            for (IdentityStore each : List.of(store, open())) {
                for (String one : users) {
                    assertThat(each.groupsOf(one).stream().map(Holder::name))
                            .as("seed %d, step %d", seed, step)
                            .containsExactlyElementsOf(
                                    model.keySet().stream()
                                            .filter(name -> model.get(name).contains(one))
                                            .toList());
                }
            }
        }
    }
}

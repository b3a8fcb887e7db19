package io.volute.server.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.credentials.Configurer;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.Cube;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which caller a configuration stands for after its keys, user or role changed. */
@Tag("slow")
final class ConfigurerTest {
    private static final Caller ROOT = new Caller("root", "ROOTKEY", "test");
    private static final Instant LATER = S3TestBed.NOW.plusSeconds(3600);

    @TempDir private Path directory;
    private final Map<String, Credential> fixed = new HashMap<>();
    private Cube cube;
    private TestPeople people;
    private UserKey carol;

    @BeforeEach
    void open() throws IOException {
        fixed.put("ROOTKEY", new Credential("ROOTKEY", "rootsecret", "root", "Root", true));
        fixed.put("DAN", new Credential("DAN", "dansecret", "dan", "Dan", false));
        cube = S3TestBed.cube(directory, () -> S3TestBed.NOW);
        people = new TestPeople(cube, fixed, () -> S3TestBed.NOW);
        people.identities().add(ROOT, Kind.USER, "carol", Optional.empty(), IdentityDetails.NONE);
        carol = people.identities().addKey(ROOT, "carol");
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private Configurer configurer(Credential who) throws IOException {
        return Configurer.of(people.tokens().configurer(who).orElseThrow().text());
    }

    private Optional<Credential> standing(Configurer configurer) {
        return people.tokens().standing(configurer);
    }

    private Credential carol() {
        return people.tokens().find(carol.accessKey()).orElseThrow();
    }

    @Test
    void aUserStandsWithoutTheKey() throws IOException {
        Configurer configurer = configurer(carol());
        people.identities().removeKey(ROOT, carol.accessKey());
        Credential now = standing(configurer).orElseThrow();
        assertThat(now.principal()).isEqualTo("carol");
        assertThat(now.kind()).isEqualTo(Credential.Kind.USER);
        assertThat(now.session()).isEmpty();
        assertThat(now.accessKey()).isEmpty();
    }

    @Test
    void aLaterUserOfTheNameIsAnotherOne() throws IOException {
        Configurer configurer = configurer(carol());
        people.identities().remove(ROOT, Kind.USER, "carol");
        assertThat(standing(configurer)).isEmpty();
        people.identities().add(ROOT, Kind.USER, "carol", Optional.empty(), IdentityDetails.NONE);
        assertThat(standing(configurer)).isEmpty();
    }

    @Test
    void aSessionStaysNarrowedAndARoleIsOneOfASession() throws IOException {
        String trust =
                "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"sts:AssumeRole\","
                        + "\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"}}}";
        people.identities()
                .add(ROOT, Kind.ROLE, "copier", Optional.of(trust), IdentityDetails.NONE);
        Holder role = people.identities().holder(Kind.ROLE, "copier").orElseThrow();
        Credential session =
                people.tokens()
                        .issue(carol(), role, new TreeMap<>(), "run-1", LATER, Optional.of("{}"))
                        .credential();
        Credential now = standing(configurer(session)).orElseThrow();
        assertThat(now.kind()).isEqualTo(Credential.Kind.ROLE);
        assertThat(now.session().orElseThrow().name()).isEqualTo("run-1");
        assertThat(now.session().orElseThrow().policy()).contains("{}");
        people.identities().removeKey(ROOT, carol.accessKey());
        assertThat(standing(configurer(session))).isPresent();
        Configurer configurer = configurer(session);
        people.identities().remove(ROOT, Kind.ROLE, "copier");
        assertThat(standing(configurer)).isEmpty();
    }

    @Test
    void aNarrowedRootIsNotTheRoot() throws IOException {
        Credential root = fixed.get("ROOTKEY");
        assertThat(standing(configurer(root)).orElseThrow().root()).isTrue();
        Credential narrowed =
                people.tokens().issue(root, "s", LATER, Optional.of("{}")).credential();
        assertThat(standing(configurer(narrowed)).orElseThrow().root()).isFalse();
    }

    @Test
    void aUserOfTheFileStandsWhileItIsThere() throws IOException {
        Configurer configurer = configurer(fixed.get("DAN"));
        assertThat(standing(configurer).orElseThrow().kind()).isEqualTo(Credential.Kind.ACCOUNT);
        fixed.remove("DAN");
        TestPeople left = new TestPeople(cube, fixed, () -> S3TestBed.NOW);
        assertThat(left.tokens().standing(configurer)).isEmpty();
        assertThat(people.tokens().configurer(Credential.ANONYMOUS)).isEmpty();
    }
}

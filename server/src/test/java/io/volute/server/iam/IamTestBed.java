package io.volute.server.iam;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditUnavailableException;
import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.config.OidcConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.TestPeople;
import io.volute.server.oidc.OidcProvider;
import io.volute.server.query.QueryFront;
import io.volute.server.query.QueryService;
import io.volute.server.query.SignedClient;
import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.storage.Cube;
import io.volute.versioning.History;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** IAM, STS and S3 over one store, with their audit log in memory. */
final class IamTestBed implements AutoCloseable {
    static final Keys ROOT = new Keys("ROOTKEY", "rootsecret", "");
    static final Keys ALICE = new Keys("ALICEKEY", "alicesecret", "");

    private final Cube cube;
    private final VersionedStore store;
    private final TestPeople people;
    private final QueryFront front;
    final List<String> audited = new ArrayList<>();

    /** Details of the sessions that STS made. */
    final List<String> issued = new ArrayList<>();

    /** Names of the providers that the settings have. */
    final Set<String> providers = new HashSet<>();

    Instant now = S3TestBed.NOW;
    boolean isAuditBroken;

    private final AuditTrail trail =
            new AuditTrail() {
                @Override
                public Deed begin(
                        HttpHead head, About about, Map<String, ?> details, IfUnwritten then) {
                    if (isAuditBroken) {
                        throw new AuditUnavailableException(new IOException("full"));
                    }
                    audited.add(
                            about.operation()
                                    + " by "
                                    + about.user()
                                    + " "
                                    + new TreeMap<>(details));
                    return (code, more) -> audited.add((code.isEmpty() ? "done" : code) + more);
                }

                @Override
                public void done(HttpHead head, About about, Map<String, ?> details) {
                    audited.add(about.operation() + " by " + about.user());
                    issued.add(new TreeMap<>(details).toString());
                }

                @Override
                public void refused(HttpHead head, About about, String code) {
                    audited.add(code + " for " + about.operation() + " by " + about.user());
                }
            };

    IamTestBed() throws IOException {
        this(Optional.empty());
    }

    IamTestBed(Optional<OidcConfig> provider) throws IOException {
        cube = S3TestBed.cubeInMemory(() -> now);
        store = ObjectStores.open(StoreOptions.defaults(cube, () -> now, new Random(1)));
        Map<String, Credential> fixed =
                Map.of(
                        "ROOTKEY",
                        new Credential("ROOTKEY", "rootsecret", "root", "Root", true),
                        "ALICEKEY",
                        new Credential("ALICEKEY", "alicesecret", "alice", "Alice", false));
        provider.ifPresent(each -> providers.add(each.name()));
        people = new TestPeople(cube, fixed, () -> now, providers::contains);
        Optional<OidcProvider> tokens =
                provider.isPresent()
                        ? Optional.of(new OidcProvider(provider.get(), () -> now))
                        : Optional.empty();
        S3Settings settings = new S3Settings("eu-west-1", List.of(), () -> now, true);
        front =
                new QueryFront(
                        new S3Protocol(
                                store,
                                people.tokens(),
                                people.authority(),
                                settings,
                                AuditTrail.NONE),
                        List.of(
                                signed(
                                        new StsCalls(
                                                people.identities(),
                                                people.tokens(),
                                                people.authority(),
                                                () -> now,
                                                trail,
                                                tokens),
                                        settings),
                                signed(
                                        new IamCalls(
                                                people.identities(),
                                                people.authority(),
                                                trail,
                                                provider),
                                        settings)),
                        List.of(),
                        () -> now,
                        trail);
    }

    private QueryFront.Signed signed(QueryService service, S3Settings settings) {
        return new QueryFront.Signed(
                service,
                new Authenticator(people.tokens(), settings.authentication(), service.scope()));
    }

    SignedClient client() {
        return new SignedClient(front, now);
    }

    /** Calls an action; the parameters are names and values in turn. */
    TestResponse call(Keys keys, String action, String... parameters) {
        Map<String, String> form = form(action, parameters);
        return client().call(keys, "iam", "2010-05-08", form);
    }

    static Map<String, String> form(String action, String... parameters) {
        Map<String, String> form = new TreeMap<>(Map.of("Action", action));
        for (int i = 0; i < parameters.length; i += 2) {
            form.put(parameters[i], parameters[i + 1]);
        }
        return form;
    }

    /** Calls an action as the root, which must succeed. */
    String done(String action, String... parameters) {
        TestResponse answer = call(ROOT, action, parameters);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.text();
    }

    TestResponse sts(Keys keys, String action, String... parameters) {
        return client().call(keys, "sts", "2011-06-15", form(action, parameters));
    }

    /** Calls STS without a signature. */
    TestResponse unsigned(String action, String... parameters) {
        return client().unsigned("2011-06-15", form(action, parameters));
    }

    /** Returns the access keys of the recorded actors. */
    List<String> actors(History.ActorFilter filter) throws IOException {
        return store.history().actors(filter, Optional.empty(), 10).entries().stream()
                .map(History.ActorInfo::accessKey)
                .toList();
    }

    TestResponse s3(Keys keys, String method, String path) {
        return client().send(keys, "eu-west-1/s3", method, path, "", Map.of());
    }

    /** Creates a user with a key. */
    Keys user(String name) {
        done("CreateUser", "UserName", name);
        return key(done("CreateAccessKey", "UserName", name));
    }

    static Keys key(String answer) {
        return new Keys(
                texts(answer, "AccessKeyId").getFirst(),
                texts(answer, "SecretAccessKey").getFirst(),
                answer.contains("<SessionToken>") ? texts(answer, "SessionToken").getFirst() : "");
    }

    /** Returns whether a user may call an action of the admin API. */
    boolean mayCall(Keys keys, String action) {
        Credential who = people.tokens().find(keys.accessKey()).orElseThrow();
        AccessRequest request =
                new AccessRequest(
                        Principal.of(who), action, "arn:aws:volute:::server", key -> List.of());
        return people.authority().decide(who, request, Optional.empty()) == Decision.ALLOW;
    }

    /** Allows actions on resources to a user. */
    void allow(String user, String name, String action, String resource) {
        policy(user, name, allowing(action, resource));
    }

    /** Gives a user a policy. */
    void policy(String user, String name, String document) {
        try {
            people.identities()
                    .setInline(
                            new Caller("root", "ROOTKEY", "test"),
                            Kind.USER,
                            user,
                            name,
                            Optional.of(document));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String allowing(String action, String resource) {
        return statement("Allow", action, resource);
    }

    static String statement(String effect, String action, String resource) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\""
                + effect
                + "\",\"Action\":\""
                + action
                + "\",\"Resource\":\""
                + resource
                + "\"}]}";
    }

    /** Returns the contents of all elements of a name. */
    static List<String> texts(String document, String element) {
        Matcher found =
                Pattern.compile("<" + element + ">([^<]*)</" + element + ">").matcher(document);
        List<String> texts = new ArrayList<>();
        while (found.find()) {
            texts.add(found.group(1));
        }
        return texts;
    }

    @Override
    public void close() throws IOException {
        store.close();
        cube.close();
    }
}

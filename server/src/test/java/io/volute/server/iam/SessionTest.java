package io.volute.server.iam;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditUnavailableException;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityDetails;
import io.volute.server.identity.TestPeople;
import io.volute.server.identity.UserKey;
import io.volute.server.json.Json;
import io.volute.server.query.QueryFront;
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
import io.volute.versioning.Identities.Identity;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions: made by STS, taken by S3 with their token only, narrowed, ended. */
class SessionTest {
    private static final Caller ROOT = new Caller("root", "ROOTKEY", "test");
    private static final String SELF = "arn:aws:iam::000000000000:user/carol";
    private static final String EVERYTHING =
            "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"s3:*\",\"Resource\":\"*\"}}";

    private final AtomicReference<Instant> now = new AtomicReference<>(S3TestBed.NOW);
    private Cube cube;
    private VersionedStore store;
    private TestPeople people;
    private QueryFront front;
    private UserKey carol;
    private final Map<String, Credential> fixed =
            new HashMap<>(
                    Map.of(
                            "ROOTKEY",
                            new Credential("ROOTKEY", "rootsecret", "root", "Root", true)));
    private final List<String> audited = new ArrayList<>();
    private boolean isAuditBroken;

    private final AuditTrail audit =
            new AuditTrail() {
                @Override
                public Deed begin(
                        HttpHead head, About about, Map<String, ?> details, IfUnwritten then) {
                    throw new AssertionError("a session is one line");
                }

                @Override
                public void done(HttpHead head, About about, Map<String, ?> details) {
                    if (isAuditBroken) {
                        throw new AuditUnavailableException(new IOException("full"));
                    }
                    audited.add(about.operation() + " by " + about.user() + " " + details);
                }

                @Override
                public void refused(HttpHead head, About about, String code) {
                    audited.add(code);
                }
            };

    @BeforeEach
    void open() throws IOException {
        cube = S3TestBed.cubeInMemory(now::get);
        store = ObjectStores.open(StoreOptions.defaults(cube, now::get, new Random(1)));
        people = new TestPeople(cube, fixed, now::get);
        serve();
        people.identities().add(ROOT, Kind.USER, "carol", Optional.empty(), IdentityDetails.NONE);
        people.identities().setInline(ROOT, Kind.USER, "carol", "all", Optional.of(EVERYTHING));
        carol = people.identities().addKey(ROOT, "carol");
        assertThat(s3(carol(), "PUT", "/bucket", "").status()).isEqualTo(200);
        assertThat(s3(carol(), "PUT", "/bucket/k", "content").status()).isEqualTo(200);
    }

    private void serve() {
        S3Settings settings =
                new S3Settings("us-east-1", List.of(), now::get, true).withBucketsOfUser(2);
        AuthSettings signatures = settings.authentication();
        front =
                new QueryFront(
                        new S3Protocol(
                                store,
                                people.tokens(),
                                people.authority(),
                                settings,
                                AuditTrail.NONE),
                        List.of(
                                new QueryFront.Signed(
                                        new StsCalls(
                                                people.identities(),
                                                people.tokens(),
                                                people.authority(),
                                                now::get,
                                                audit,
                                                Optional.empty()),
                                        new Authenticator(people.tokens(), signatures, "sts"))),
                        List.of(),
                        now::get,
                        audit);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        cube.close();
    }

    private Keys carol() {
        return new Keys(carol.accessKey(), carol.secret(), "");
    }

    private static Keys root() {
        return new Keys("ROOTKEY", "rootsecret", "");
    }

    private TestResponse s3(Keys keys, String method, String path, String body) {
        return send(keys, "s3", method, path, body, Map.of());
    }

    private TestResponse sts(Keys keys, Map<String, String> form) {
        return new SignedClient(front, now.get()).call(keys, "sts", "2011-06-15", form);
    }

    private TestResponse send(
            Keys keys,
            String service,
            String method,
            String path,
            String body,
            Map<String, String> more) {
        return new SignedClient(front, now.get()).send(keys, service, method, path, body, more);
    }

    @Test
    void otherServicesAreNamed() {
        Map<String, String> form = Map.of("content-type", "application/x-www-form-urlencoded");
        String session = "Action=GetSessionToken&Version=2011-06-15";
        assertThat(send(root(), "/sts", "POST", "/", session, form).text())
                .contains("SecretAccessKey");
        assertThat(send(root(), "eu-west-1/sts", "POST", "/", session, form).status())
                .isEqualTo(400);
        TestResponse admin = send(root(), "/s3", "GET", "/minio/admin/v3/info", "", Map.of());
        assertThat(admin.code()).isEqualTo("AuthorizationHeaderMalformed");
        assertThat(admin.text()).contains("no admin API of MinIO");
    }

    /** A presigned URL would allow its holder to post any form. */
    @Test
    void aSignatureInTheQueryMakesNoSession() {
        Map<String, String> form = Map.of("Action", "GetSessionToken");
        String nothing = SignedClient.sha256(new byte[0]);
        for (String payload : List.of("UNSIGNED-PAYLOAD", "", nothing)) {
            TestResponse answer =
                    new SignedClient(front, now.get())
                            .presigned(carol(), "sts", "2011-06-15", form, payload);
            assertThat(answer.status()).as(answer.text()).isEqualTo(403);
            assertThat(answer.text()).doesNotContain("SecretAccessKey");
        }
    }

    @Test
    void aSessionIsToldBeforeItIsGivenOut() {
        Map<String, String> form = Map.of("Action", "GetSessionToken", "DurationSeconds", "900");
        TestResponse answer = sts(carol(), form);
        assertThat(answer.status()).isEqualTo(200);
        String issued = answer.text().replaceAll("(?s).*<AccessKeyId>(.*)</AccessKeyId>.*", "$1");
        assertThat(audited)
                .containsExactly(
                        "GetSessionToken by carol {DurationSeconds=900, issuedAccessKey="
                                + issued
                                + "}");
        audited.clear();
        assertThat(sts(carol(), Map.of("Action", "GetCallerIdentity")).status()).isEqualTo(200);
        assertThat(audited).isEmpty();
        Keys forged = new Keys(carol().accessKey(), "guessed", "");
        assertThat(sts(forged, form).status()).isEqualTo(403);
        assertThat(audited).containsExactly("SignatureDoesNotMatch");
        isAuditBroken = true;
        TestResponse refused = sts(carol(), form);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text()).doesNotContain("SecretAccessKey").contains("audit log");
    }

    private static String text(TestResponse answer, String element) {
        String text = answer.text();
        int begin = text.indexOf("<" + element + ">");
        return begin < 0
                ? ""
                : text.substring(
                        begin + element.length() + 2, text.indexOf("</" + element + ">", begin));
    }

    private static Keys keys(TestResponse answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return new Keys(
                text(answer, "AccessKeyId"),
                text(answer, "SecretAccessKey"),
                text(answer, "SessionToken"));
    }

    /**
     * Returns the form that assumes the root, a role or the caller's own user, with a session name.
     */
    private static Map<String, String> assuming(String arn, String session) {
        Map<String, String> form = new TreeMap<>();
        form.put("Action", "AssumeRole");
        form.put("RoleArn", arn);
        form.put("RoleSessionName", session);
        return form;
    }

    private Keys narrowed(String document) {
        Map<String, String> form = assuming(SELF, "nightly");
        form.put("Policy", document);
        return keys(sts(carol(), form));
    }

    private static String allowing(String action) {
        return "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\""
                + action
                + "\",\"Resource\":\"*\"}}";
    }

    @Test
    void answersSayForTheLogWhoAskedInWhichSession() {
        TestResponse made = sts(carol(), assuming(SELF, "nightly"));
        assertThat(made.response().about())
                .isEqualTo(new About("AssumeRole", "carol", carol.accessKey(), "", "", "", ""));
        Keys session = keys(made);
        assertThat(s3(session, "GET", "/bucket/none", "").response().about())
                .isEqualTo(
                        new About(
                                "GetObject",
                                "carol",
                                session.accessKey(),
                                "nightly",
                                "bucket",
                                "none",
                                "NoSuchKey"));
        assertThat(sts(carol(), Map.of("Action", "Invent")).response().about())
                .isEqualTo(new About("", "carol", carol.accessKey(), "", "", "", "InvalidAction"));
    }

    @Test
    void aSessionIsItsUserUntilItsTimeIsOver() {
        TestResponse made =
                sts(carol(), Map.of("Action", "GetSessionToken", "DurationSeconds", "900"));
        Keys session = keys(made);
        assertThat(text(made, "Expiration")).isEqualTo("2026-11-21T10:15:00.000Z");
        assertThat(s3(session, "GET", "/bucket/k", "").text()).isEqualTo("content");
        assertThat(text(sts(session, Map.of("Action", "GetCallerIdentity")), "Arn"))
                .isEqualTo(SELF);
        now.set(S3TestBed.NOW.plusSeconds(899));
        assertThat(s3(session, "GET", "/bucket/k", "").status()).isEqualTo(200);
        now.set(S3TestBed.NOW.plusSeconds(900));
        assertThat(s3(session, "GET", "/bucket/k", "").code()).isEqualTo("ExpiredToken");
    }

    @Test
    void aSessionIsNothingWithoutItsOwnToken() {
        Keys one = keys(sts(carol(), Map.of("Action", "GetSessionToken")));
        Keys other = keys(sts(carol(), Map.of("Action", "GetSessionToken")));
        Keys without = new Keys(one.accessKey(), one.secret(), "");
        assertThat(s3(without, "GET", "/bucket/k", "").code()).isEqualTo("InvalidAccessKeyId");
        Keys mixed = new Keys(one.accessKey(), one.secret(), other.token());
        assertThat(s3(mixed, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        Keys lasting = new Keys(carol.accessKey(), carol.secret(), one.token());
        assertThat(s3(lasting, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        Keys guessed = new Keys(one.accessKey(), "guessed-secret", one.token());
        assertThat(s3(guessed, "GET", "/bucket/k", "").code()).isEqualTo("SignatureDoesNotMatch");
        int middle = one.token().length() / 2;
        char c = one.token().charAt(middle) == 'A' ? 'B' : 'A';
        String changed = one.token().substring(0, middle) + c + one.token().substring(middle + 1);
        assertThat(
                        s3(new Keys(one.accessKey(), one.secret(), changed), "GET", "/bucket/k", "")
                                .code())
                .isEqualTo("InvalidToken");
        assertThat(
                        s3(
                                        new Keys(one.accessKey(), one.secret(), "no base64!"),
                                        "GET",
                                        "/bucket/k",
                                        "")
                                .code())
                .isEqualTo("InvalidToken");
    }

    /**
     * CVE-2024-48916 (Ceph) and CVE-2026-33322 (MinIO): a web token chose the algorithm that it was
     * checked with. No web token is taken, as a session token or for one.
     */
    @ParameterizedTest
    @ValueSource(strings = {"none", "None", "HS256", "RS256"})
    void cve202448916(String algorithm) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String head = "{\"alg\":\"" + algorithm + "\",\"typ\":\"JWT\"}";
        String claims = "{\"sub\":\"root\",\"principal\":\"root\",\"kind\":\"ROOT\"}";
        String token =
                encoder.encodeToString(head.getBytes(StandardCharsets.UTF_8))
                        + "."
                        + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8))
                        + ".";
        Keys forged = new Keys(carol.accessKey(), carol.secret(), token);
        assertThat(s3(forged, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        Map<String, String> form = assuming("arn:aws:iam::000000000000:root", "web");
        form.put("Action", "AssumeRoleWithWebIdentity");
        form.put("WebIdentityToken", token);
        assertThat(text(sts(carol(), form), "Code")).isEqualTo("InvalidAction");
    }

    /** CVE-2025-62506: a session's policy limits every caller's session, also the root's. */
    @Test
    void cve202562506() {
        Keys reader = narrowed(allowing("s3:GetObject"));
        assertThat(s3(reader, "GET", "/bucket/k", "").status()).isEqualTo(200);
        assertThat(s3(reader, "PUT", "/bucket/k", "x").code()).isEqualTo("AccessDenied");
        assertThat(s3(reader, "DELETE", "/bucket/k", "").code()).isEqualTo("AccessDenied");
        assertThat(s3(reader, "GET", "/bucket", "").code()).isEqualTo("AccessDenied");
        Map<String, String> form = assuming("arn:aws:iam::000000000000:root", "narrow");
        form.put("Policy", allowing("s3:GetObject"));
        Keys rootReader = keys(sts(root(), form));
        assertThat(s3(rootReader, "GET", "/bucket/k", "").status()).isEqualTo(200);
        assertThat(s3(rootReader, "DELETE", "/bucket/k", "").code()).isEqualTo("AccessDenied");
        // Buckets that it may read are listed, and no others.
        assertThat(s3(rootReader, "GET", "/", "").text()).contains("<Name>bucket</Name>");
        form.put("Policy", allowing("s3:PutObject"));
        assertThat(s3(keys(sts(root(), form)), "GET", "/", "").code()).isEqualTo("AccessDenied");
    }

    @Test
    void aPolicyOfASessionGivesNothing() throws IOException {
        Keys session = narrowed(allowing("s3:*"));
        people.identities().setInline(ROOT, Kind.USER, "carol", "all", Optional.empty());
        assertThat(s3(session, "GET", "/bucket/k", "").code()).isEqualTo("AccessDenied");
    }

    @Test
    void sessionsMakeNoSessions() {
        Keys session = narrowed(allowing("s3:GetObject"));
        assertThat(text(sts(session, Map.of("Action", "GetSessionToken")), "Code"))
                .isEqualTo("AccessDenied");
        assertThat(text(sts(session, assuming(SELF, "out")), "Code")).isEqualTo("AccessDenied");
    }

    @Test
    void aSessionEndsWithTheKeyThatMadeIt() throws IOException {
        Keys session = keys(sts(carol(), Map.of("Action", "GetSessionToken")));
        people.identities().setKeyActive(ROOT, carol.accessKey(), false);
        assertThat(s3(session, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        people.identities().setKeyActive(ROOT, carol.accessKey(), true);
        assertThat(s3(carol(), "GET", "/bucket/k", "").status()).isEqualTo(200);
        assertThat(s3(session, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        Keys later = keys(sts(carol(), Map.of("Action", "GetSessionToken")));
        assertThat(s3(later, "GET", "/bucket/k", "").status()).isEqualTo(200);
        people.identities().remove(ROOT, Kind.USER, "carol");
        assertThat(s3(later, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
    }

    /** A thief's sessions end when the secret that the thief knew is replaced. */
    @Test
    void aSessionEndsWithTheSecretThatMadeIt() {
        Keys session = keys(sts(root(), Map.of("Action", "GetSessionToken")));
        assertThat(s3(session, "GET", "/bucket/k", "").status()).isEqualTo(200);
        fixed.put("ROOTKEY", new Credential("ROOTKEY", "other-secret", "root", "Root", true));
        assertThat(s3(session, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        Keys other = new Keys("ROOTKEY", "other-secret", "");
        Keys later = keys(sts(other, Map.of("Action", "GetSessionToken")));
        assertThat(s3(later, "GET", "/bucket/k", "").status()).isEqualTo(200);
    }

    private TestResponse assume(Keys keys, String role, String externalId) {
        Map<String, String> form = assuming("arn:aws:iam::000000000000:role/" + role, "job-7");
        if (!externalId.isEmpty()) {
            form.put("ExternalId", externalId);
        }
        return sts(keys, form);
    }

    @Test
    void aRoleIsForThoseWhomItTrusts() throws IOException {
        String trust =
                "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\""
                        + SELF
                        + "\"},\"Action\":\"sts:AssumeRole\",\"Condition\":{\"StringEquals\":"
                        + "{\"sts:ExternalId\":\"42\"}}}}";
        people.identities()
                .add(ROOT, Kind.ROLE, "reader", Optional.of(trust), IdentityDetails.NONE);
        people.identities()
                .setInline(
                        ROOT, Kind.ROLE, "reader", "read", Optional.of(allowing("s3:GetObject")));
        assertThat(text(assume(carol(), "reader", ""), "Code")).isEqualTo("AccessDenied");
        assertThat(text(assume(carol(), "none", "42"), "Code")).isEqualTo("AccessDenied");
        people.identities().add(ROOT, Kind.USER, "dave", Optional.empty(), IdentityDetails.NONE);
        UserKey dave = people.identities().addKey(ROOT, "dave");
        Keys stranger = new Keys(dave.accessKey(), dave.secret(), "");
        assertThat(text(assume(stranger, "reader", "42"), "Code")).isEqualTo("AccessDenied");
        TestResponse made = assume(carol(), "reader", "42");
        Keys role = keys(made);
        assertThat(text(made, "Arn"))
                .isEqualTo("arn:aws:sts::000000000000:assumed-role/reader/job-7");
        assertThat(s3(role, "GET", "/bucket/k", "").status()).isEqualTo(200);
        assertThat(s3(role, "PUT", "/bucket/k", "x").code()).isEqualTo("AccessDenied");
        people.identities().remove(ROOT, Kind.ROLE, "reader");
        assertThat(s3(role, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
    }

    /** A bucket's policy names roles and their sessions; a new role of the name is another. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "arn:aws:iam::000000000000:role/reader",
                "arn:aws:sts::000000000000:assumed-role/reader/job-7"
            })
    void aSessionEndsWithItsRole(String named) throws IOException {
        String trust = trusting(SELF);
        people.identities()
                .add(ROOT, Kind.ROLE, "reader", Optional.of(trust), IdentityDetails.NONE);
        allowReading("AWS", named);
        Keys old = keys(assume(carol(), "reader", ""));
        assertThat(s3(old, "GET", "/bucket/k", "").status()).isEqualTo(200);
        people.identities().remove(ROOT, Kind.ROLE, "reader");
        assertThat(s3(old, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        people.identities()
                .add(ROOT, Kind.ROLE, "reader", Optional.of(trust), IdentityDetails.NONE);
        assertThat(s3(old, "GET", "/bucket/k", "").code()).isEqualTo("InvalidToken");
        Keys later = keys(assume(carol(), "reader", ""));
        assertThat(s3(later, "GET", "/bucket/k", "").status()).isEqualTo(200);
    }

    /** Lets somebody read the objects of the bucket, by its policy. */
    private void allowReading(String form, String principal) throws IOException {
        String policy =
                "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\""
                        + form
                        + "\":\""
                        + principal
                        + "\"},\"Action\":\"s3:GetObject\","
                        + "\"Resource\":\"arn:aws:s3:::bucket/*\"}}";
        store.settings()
                .setAccess(
                        new BucketName("bucket"), access -> access.withPolicy(Optional.of(policy)));
    }

    @Test
    void aRoleIsNotTheUserOfItsName() throws IOException {
        people.identities()
                .add(ROOT, Kind.ROLE, "dave", Optional.of(trusting(SELF)), IdentityDetails.NONE);
        allowReading("CanonicalUser", "dave");
        Keys role = keys(assume(carol(), "dave", ""));
        assertThat(s3(role, "GET", "/bucket/k", "").code()).isEqualTo("AccessDenied");
        people.identities().add(ROOT, Kind.USER, "dave", Optional.empty(), IdentityDetails.NONE);
        UserKey key = people.identities().addKey(ROOT, "dave");
        Keys dave = new Keys(key.accessKey(), key.secret(), "");
        assertThat(s3(dave, "GET", "/bucket/k", "").status()).isEqualTo(200);
    }

    /** Older programs let a role be called so. */
    @Test
    void aRoleThatIsCalledRootIsOfNoUse() throws IOException {
        Map<String, Object> row = new TreeMap<>();
        row.put("created", 0L);
        row.put("trust", trusting(SELF));
        ObjectStores.identitiesOf(cube)
                .change(
                        List.of(new Identity(3, "root", Json.write(row))),
                        List.of(),
                        "{}".getBytes(StandardCharsets.UTF_8));
        people = new TestPeople(cube, fixed, now::get);
        serve();
        assertThat(text(assume(carol(), "root", ""), "Code")).isEqualTo("AccessDenied");
        people.identities().remove(ROOT, Kind.ROLE, "root");
        assertThat(people.identities().holder(Kind.ROLE, "root")).isEmpty();
    }

    /**
     * The root owns the buckets that users of the server create; the limit counts them together.
     */
    @Test
    void usersTakeNoMoreNamesThanTheirShare() {
        Keys session = keys(sts(carol(), Map.of("Action", "GetSessionToken")));
        assertThat(s3(session, "PUT", "/second", "").status()).isEqualTo(200);
        assertThat(s3(session, "PUT", "/third", "").code()).isEqualTo("TooManyBuckets");
        assertThat(s3(carol(), "PUT", "/third", "").code()).isEqualTo("TooManyBuckets");
        assertThat(s3(carol(), "PUT", "/bucket", "").status()).isEqualTo(200);
        assertThat(s3(root(), "PUT", "/third", "").status()).isEqualTo(200);
    }

    private static String trusting(String arn) {
        return "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\""
                + arn
                + "\"},\"Action\":\"sts:AssumeRole\"}}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GetSessionToken|DurationSeconds|899|ValidationError",
                "GetSessionToken|DurationSeconds|129601|ValidationError",
                "GetSessionToken|SerialNumber|x|ValidationError",
                "AssumeRole|RoleSessionName|a b|ValidationError",
                "AssumeRole|Policy|{}|MalformedPolicyDocument",
                "AssumeRole|PolicyArns.member.1.arn|x|ValidationError",
                "CreateUser|UserName|x|InvalidAction",
            })
    void whatIsNotUnderstoodIsRefused(String action, String name, String value, String code) {
        Map<String, String> form = new TreeMap<>();
        if (action.equals("AssumeRole")) {
            form.put("RoleArn", SELF);
            form.put("RoleSessionName", "name");
        }
        form.put("Action", action);
        form.put(name, value);
        assertThat(text(sts(carol(), form), "Code")).isEqualTo(code);
    }

    /** A signature for S3 makes no sessions, and the other way round. */
    @Test
    void signaturesAreForOneService() {
        Map<String, String> form = Map.of("content-type", "application/x-www-form-urlencoded");
        String body = "Action=GetSessionToken&Version=2011-06-15";
        assertThat(text(send(carol(), "s3", "POST", "/", body, form), "Code"))
                .isEqualTo("AuthorizationHeaderMalformed");
        assertThat(
                        send(
                                        carol(),
                                        "sts",
                                        "GET",
                                        "/bucket/k",
                                        "",
                                        Map.of(
                                                "x-amz-content-sha256",
                                                SignedClient.sha256(new byte[0])))
                                .code())
                .isEqualTo("AuthorizationHeaderMalformed");
    }

    @Test
    void whatUsersMakeBelongsToTheAccount() {
        assertThat(s3(carol(), "GET", "/", "").text()).contains("<Name>bucket</Name>");
        assertThat(store.listBuckets(Optional.empty(), "", "", 10).getFirst().owner())
                .isEqualTo("root");
    }

    /** The actions of a stolen key's sessions are found by the key, and by its user. */
    @Test
    void actorsOfSessionsHaveTheKeyAndTheUserThatBeganThem() throws IOException {
        people.identities()
                .add(ROOT, Kind.ROLE, "rooter", Optional.of(trusting(SELF)), IdentityDetails.NONE);
        people.identities().setInline(ROOT, Kind.ROLE, "rooter", "all", Optional.of(EVERYTHING));
        List<Keys> sessions =
                List.of(
                        keys(sts(carol(), Map.of("Action", "GetSessionToken"))),
                        keys(sts(carol(), assuming(SELF, "nightly"))),
                        keys(
                                sts(
                                        carol(),
                                        assuming(
                                                SELF.replace(":user/carol", ":role/rooter"),
                                                "rr"))));
        for (Keys session : sessions) {
            assertThat(s3(session, "PUT", "/bucket/by-session", "x").status()).isEqualTo(200);
        }
        assertThat(s3(root(), "PUT", "/bucket/by-root", "x").status()).isEqualTo(200);
        List<String> expected = new ArrayList<>(sessions.stream().map(Keys::accessKey).toList());
        expected.add(carol.accessKey());
        assertThat(accessKeys(History.ActorFilter.ofAccessKey(carol.accessKey())))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(accessKeys(History.ActorFilter.ofUser("carol")))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(accessKeys(History.ActorFilter.ofUser("root"))).containsExactly("ROOTKEY");
    }

    private List<String> accessKeys(History.ActorFilter who) throws IOException {
        return store.history().actors(who, Optional.empty(), 10).entries().stream()
                .map(History.ActorInfo::accessKey)
                .toList();
    }
}

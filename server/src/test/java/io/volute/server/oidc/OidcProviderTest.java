package io.volute.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.server.config.OidcConfig;
import io.volute.server.json.Json;
import io.volute.server.outbound.Addresses;
import io.volute.server.query.QueryException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of a provider on a loopback address: which are accepted, and what is fetched for them. */
@Tag("slow")
class OidcProviderTest {
    private static final long NOW = 1_790_000_000;

    private TestIssuer issuer;
    private Instant now = Instant.ofEpochSecond(NOW);
    private OidcProvider provider;
    private KeyPair rsa;

    @BeforeEach
    void start() throws IOException {
        issuer = new TestIssuer();
        rsa = issuer.add("k1", "RS256");
        provider = provider(Addresses.Resolver.OF_SYSTEM, issuer.name());
    }

    @AfterEach
    void stop() {
        issuer.close();
    }

    private OidcProvider provider(Addresses.Resolver resolver, String name) throws IOException {
        OidcConfig config =
                new OidcConfig(name, List.of("volute", "other-app"), Optional.empty(), true);
        return new OidcProvider(config, new ProviderKeys(config, () -> now, resolver), () -> now);
    }

    private Map<String, Object> claims() {
        return issuer.claims(NOW);
    }

    private Map<String, Object> claims(String name, Object value) {
        Map<String, Object> claims = claims();
        claims.put(name, value);
        return claims;
    }

    private String signed(Map<String, Object> claims) {
        return issuer.token("k1", "RS256", claims);
    }

    private void assertRefused(String code, String token) {
        QueryException refused =
                catchThrowableOfType(QueryException.class, () -> provider.verify(token));
        assertThat(refused).isNotNull();
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS256", "RS384", "RS512", "ES256", "ES384"})
    void algorithmsWithAPrivateKeyAreAccepted(String algorithm) {
        issuer.add("key", algorithm);
        WebIdentity found = provider.verify(issuer.token("key", algorithm, claims()));
        assertThat(found.subject()).isEqualTo("job:17");
        assertThat(found.audiences()).containsExactly("volute");
    }

    @Test
    void audiencesAreATextOrAListAndNotThePartyAlone() {
        Map<String, Object> several = claims("aud", List.of("account", "other-app"));
        assertThat(provider.verify(signed(several)).audiences()).containsExactly("other-app");
        Map<String, Object> party = claims("aud", "account");
        party.put("azp", "volute");
        assertRefused("InvalidIdentityToken", signed(party));
        party.remove("aud");
        assertRefused("InvalidIdentityToken", signed(party));
    }

    @Test
    void conditionKeysAreThoseOfTheProvider() {
        WebIdentity found = provider.verify(signed(claims("azp", "other-app")));
        String name = found.provider().name();
        assertThat(name).isEqualTo(issuer.host() + "/realms/one");
        var keys = found.keys("session", key -> List.of("of the request"));
        assertThat(keys.values(name + ":aud")).containsExactly("volute");
        assertThat(keys.values(name + ":SUB")).containsExactly("job:17");
        assertThat(keys.values(name + ":azp")).containsExactly("other-app");
        assertThat(keys.values(name + ":email")).isEmpty();
        assertThat(keys.values("sts:rolesessionname")).containsExactly("session");
        assertThat(keys.values("aws:sourceip")).containsExactly("of the request");
    }

    // ---- attacks on tokens

    /** A token must not choose that it needs no signature (CVE-2015-9235 and its like). */
    @ParameterizedTest
    @ValueSource(strings = {"none", "None", "NONE", "", "HS256", "PS256", "ES512", "RS1"})
    void otherAlgorithmsAreRefused(String algorithm) {
        String header = TestIssuer.encoded(Json.write(Map.of("alg", algorithm, "kid", "k1")));
        String content = header + "." + TestIssuer.encoded(Json.write(claims())) + ".";
        assertRefused("InvalidIdentityToken", content);
        assertRefused("InvalidIdentityToken", content + "AAAA");
        assertThat(issuer.requests).isEmpty();
    }

    /** CVE-2016-10555: the public key of RSA as the secret of HMAC. */
    @Test
    void thePublicKeyIsNoSecret() throws GeneralSecurityException {
        String content =
                TestIssuer.encoded(Json.write(Map.of("alg", "HS256", "kid", "k1")))
                        + "."
                        + TestIssuer.encoded(Json.write(claims()));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(rsa.getPublic().getEncoded(), "HmacSHA256"));
        byte[] signature = mac.doFinal(content.getBytes(StandardCharsets.US_ASCII));
        assertRefused("InvalidIdentityToken", content + "." + TestIssuer.encoded(signature));
    }

    @Test
    void aChangedTokenIsRefused() {
        String[] parts = signed(claims()).split("\\.");
        String other = TestIssuer.encoded(Json.write(claims("sub", "admin")));
        assertRefused("InvalidIdentityToken", parts[0] + "." + other + "." + parts[2]);
        assertRefused("InvalidIdentityToken", parts[0] + "." + parts[1] + ".");
        assertRefused("InvalidIdentityToken", parts[0] + "." + parts[1]);
        assertRefused("InvalidIdentityToken", "a.b.c");
        assertRefused("ValidationError", "");
        assertRefused("ValidationError", "a".repeat(20 * 1024 + 1));
    }

    /** CVE-2022-21449: a signature of zeros. */
    @Test
    void aSignatureOfZerosIsRefused() {
        issuer.add("ec", "ES256");
        String[] parts = issuer.token("ec", "ES256", claims()).split("\\.");
        String zeros = TestIssuer.encoded(new byte[64]);
        assertRefused("InvalidIdentityToken", parts[0] + "." + parts[1] + "." + zeros);
    }

    /** The key that a token brings along decides nothing (CVE-2018-0114). */
    @Test
    void aKeyOfTheTokenIsIgnored() throws IOException {
        try (TestIssuer stranger = new TestIssuer()) {
            KeyPair own = stranger.add("stranger", "RS256");
            Map<String, Object> header = new HashMap<>(Map.of("alg", "RS256", "kid", "k1"));
            header.put("jku", "http://" + stranger.host() + "/keys");
            header.put("jwk", Map.of("kty", "RSA", "n", "AQAB", "e", "AQAB"));
            assertRefused("InvalidIdentityToken", TestIssuer.token(header, own, claims()));
            assertThat(stranger.requests).isEmpty();
        }
    }

    @Test
    void otherDocumentsOfTheProviderAreRefused() {
        Map<String, Object> header =
                new HashMap<>(Map.of("alg", "RS256", "kid", "k1", "typ", "logout+jwt"));
        assertRefused("InvalidIdentityToken", TestIssuer.token(header, rsa, claims()));
        header.put("typ", "JWT");
        header.put("crit", List.of("x"));
        assertRefused("InvalidIdentityToken", TestIssuer.token(header, rsa, claims()));
    }

    @Test
    void claimsMustFit() {
        assertRefused("InvalidIdentityToken", signed(claims("iss", issuer.name() + "/")));
        assertRefused("InvalidIdentityToken", signed(claims("aud", "stranger")));
        assertRefused("InvalidIdentityToken", signed(claims("aud", List.of())));
        assertRefused("InvalidIdentityToken", signed(claims("sub", "")));
        assertRefused("InvalidIdentityToken", signed(claims("sub", "a\nb")));
        assertRefused("InvalidIdentityToken", signed(claims("exp", "soon")));
        for (String needed : List.of("iss", "aud", "sub", "exp", "iat")) {
            Map<String, Object> claims = claims();
            claims.remove(needed);
            assertRefused("InvalidIdentityToken", signed(claims));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "exp,-59,",
        "exp,-60,ExpiredTokenException",
        "iat,60,",
        "iat,61,IDPRejectedClaim",
        "nbf,60,",
        "nbf,61,IDPRejectedClaim"
    })
    void timesHaveALeewayOfAMinute(String claim, long after, String code) {
        String token = signed(claims(claim, NOW + after));
        if (code == null) {
            assertThat(provider.verify(token).subject()).isEqualTo("job:17");
        } else {
            assertRefused(code, token);
        }
    }

    // ---- keys of the provider

    @Test
    void keysAreFetchedOnceAndAgainForAnUnknownKeyAtMostOnceAMinute() {
        provider.verify(signed(claims()));
        provider.verify(signed(claims()));
        assertThat(issuer.requests).containsExactly(TestIssuer.DISCOVERY, "/keys");
        issuer.add("k2", "RS256");
        String rotated = issuer.token("k2", "RS256", claims());
        assertRefused("InvalidIdentityToken", rotated);
        assertThat(issuer.requests).hasSize(2);
        now = now.plusSeconds(60);
        assertThat(provider.verify(rotated).subject()).isEqualTo("job:17");
        assertThat(issuer.requests).hasSize(4);
        Map<String, String> unknown = Map.of("alg", "RS256", "kid", "none");
        for (int i = 0; i < 10; i++) {
            assertRefused("InvalidIdentityToken", TestIssuer.token(unknown, rsa, claims()));
        }
        assertThat(issuer.requests).hasSize(4);
    }

    @Test
    void aWithdrawnKeyEnds() {
        String token = signed(claims("exp", NOW + 3600));
        provider.verify(token);
        issuer.remove("k1");
        issuer.add("k2", "RS256");
        now = now.plusSeconds(15 * 60);
        assertRefused("InvalidIdentityToken", token);
    }

    @Test
    void knownKeysAreUsedForADayWithoutTheProvider() {
        String token = signed(claims("exp", NOW + 200_000));
        provider.verify(token);
        issuer.close();
        now = now.plusSeconds(86_399);
        assertThat(provider.verify(token).subject()).isEqualTo("job:17");
        now = now.plusSeconds(1);
        assertRefused("IDPCommunicationError", token);
    }

    @Test
    void withoutKeysThereIsAPauseBetweenAttempts() {
        issuer.answers.put(TestIssuer.DISCOVERY, exchange -> exchange.sendResponseHeaders(500, -1));
        assertRefused("IDPCommunicationError", signed(claims()));
        assertRefused("IDPCommunicationError", signed(claims()));
        assertThat(issuer.requests).hasSize(1);
        issuer.answers.clear();
        now = now.plusSeconds(5);
        provider.verify(signed(claims()));
    }

    // ---- attacks on fetches

    @Test
    void redirectsAreNotFollowed() {
        for (String path : List.of(TestIssuer.DISCOVERY, "/keys")) {
            issuer.answers.put(
                    path,
                    exchange -> {
                        exchange.getResponseHeaders()
                                .add("Location", "http://" + issuer.host() + "/elsewhere");
                        exchange.sendResponseHeaders(302, -1);
                    });
            assertRefused("IDPCommunicationError", signed(claims()));
            issuer.answers.clear();
            now = now.plusSeconds(5);
        }
        assertThat(issuer.requests).doesNotContain("/elsewhere");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHugeKeySetIsNotRead(boolean isLengthKnown) {
        CountDownLatch broken = new CountDownLatch(1);
        issuer.answers.put(
                "/keys",
                exchange -> {
                    byte[] piece = new byte[1 << 16];
                    Arrays.fill(piece, (byte) ' ');
                    exchange.sendResponseHeaders(200, isLengthKnown ? 1L << 40 : 0);
                    try {
                        for (int i = 0; i < 1 << 20; i++) {
                            exchange.getResponseBody().write(piece);
                        }
                    } catch (IOException e) {
                        broken.countDown();
                        throw e;
                    }
                });
        assertRefused("IDPCommunicationError", signed(claims()));
        assertThat(broken).satisfies(CountDownLatch::await);
    }

    @Test
    void aSilentProviderIsGivenUp() {
        CountDownLatch over = new CountDownLatch(1);
        issuer.answers.put(
                "/keys",
                exchange -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        OidcConfig config =
                new OidcConfig(issuer.name(), List.of("volute"), Optional.empty(), true);
        Duration time = Duration.ofMillis(200);
        assertThatThrownBy(() -> KeyFetch.run(config, null, Addresses.Resolver.OF_SYSTEM, time))
                .hasMessageContaining("no answer within");
        over.countDown();
    }

    /** A provider must not make the server ask the metadata service of its cloud for secrets. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "[fe80::1]",
                "[::ffff:169.254.169.254]",
                "[64:ff9b::a9fe:a9fe]",
                "[2002:a9fe:a9fe::1]",
                "[fd00:ec2::254]",
                "[fd20:ce::254]",
                "100.100.100.200",
                "168.63.129.16",
                "0.0.0.0",
                "224.0.0.1"
            })
    void keysAreNotFetchedFromTheHostsOwnNetwork(String host) throws IOException {
        for (String scheme : List.of("https", "http")) {
            issuer.answers.put(
                    TestIssuer.DISCOVERY,
                    TestIssuer.json(
                            Map.of(
                                    "issuer",
                                    issuer.name(),
                                    "jwks_uri",
                                    scheme + "://" + host + "/keys")));
            OidcConfig config =
                    new OidcConfig(issuer.name(), List.of("volute"), Optional.empty(), true);
            assertThatThrownBy(() -> KeyFetch.run(config, null, Addresses.Resolver.OF_SYSTEM))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not allowed");
        }
    }

    /** A name is resolved once, and all its addresses are checked. */
    @Test
    void aNameOfALinkLocalAddressIsRefused() {
        issuer.answers.put(
                TestIssuer.DISCOVERY,
                TestIssuer.json(
                        Map.of("issuer", issuer.name(), "jwks_uri", "https://keys.example/k")));
        Addresses.Resolver resolver =
                host ->
                        host.equals("keys.example")
                                ? new InetAddress[] {
                                    InetAddress.getByName("192.0.2.1"),
                                    InetAddress.getByName("169.254.169.254")
                                }
                                : InetAddress.getAllByName(host);
        OidcConfig config =
                new OidcConfig(issuer.name(), List.of("volute"), Optional.empty(), true);
        assertThatThrownBy(() -> KeyFetch.run(config, null, resolver))
                .hasMessageContaining("169.254.169.254");
    }

    @Test
    void plainHttpNeedsALoopbackAddressAndTheSetting() {
        OidcConfig strict =
                new OidcConfig(issuer.name(), List.of("volute"), Optional.empty(), false);
        assertThatThrownBy(() -> KeyFetch.run(strict, null, Addresses.Resolver.OF_SYSTEM))
                .hasMessageContaining("not https");
        OidcConfig away =
                new OidcConfig("http://login.example", List.of("v"), Optional.empty(), true);
        Addresses.Resolver resolver =
                host -> new InetAddress[] {InetAddress.getByName("192.0.2.1")};
        assertThatThrownBy(() -> KeyFetch.run(away, null, resolver))
                .hasMessageContaining("not https");
        assertThat(issuer.requests).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://127.0.0.1/k", "file:///etc/passwd", "/keys", "http://a@b/", ""})
    void otherAddressesAreRefused(String address) {
        issuer.answers.put(
                TestIssuer.DISCOVERY,
                TestIssuer.json(Map.of("issuer", issuer.name(), "jwks_uri", address)));
        assertRefused("IDPCommunicationError", signed(claims()));
    }

    @Test
    void aDiscoveryDocumentOfAnotherIssuerIsRefused() {
        issuer.answers.put(
                TestIssuer.DISCOVERY,
                TestIssuer.json(
                        Map.of(
                                "issuer",
                                "https://evil.example",
                                "jwks_uri",
                                "http://" + issuer.host() + "/keys")));
        assertRefused("IDPCommunicationError", signed(claims()));
        assertThat(issuer.requests).containsExactly(TestIssuer.DISCOVERY);
    }

    @Test
    void weakAndUnusableKeysAreLeftOut() throws IOException {
        byte[] set =
                Json.write(
                        Map.of(
                                "keys",
                                List.of(
                                        Map.of("kty", "RSA", "kid", "a", "n", "wQ", "e", "AQAB"),
                                        Map.of("kty", "oct", "kid", "b", "k", "AAAA"),
                                        Map.of("kty", "EC", "crv", "P-521", "kid", "c"),
                                        "no object")));
        assertThat(KeySet.read(set).keys()).isEmpty();
    }
}

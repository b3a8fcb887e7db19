package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.past.Past;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The configuration documents of buckets: set, answered, removed, in the past, and refused. */
final class BucketDocumentsTest extends S3TestCase {
    private static final String CORS =
            "<CORSConfiguration><CORSRule><AllowedOrigin>https://a.example</AllowedOrigin>"
                    + "<AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>";

    private String bucket;

    @BeforeEach
    void make() {
        bucket = "/" + bed.bucket();
    }

    private TestResponse put(String query, String document) {
        return bed.request("PUT", bucket + "?" + query).body(document).send();
    }

    private static String tags(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "<Tag><Key>k" + i + "</Key><Value>v</Value></Tag>")
                .collect(Collectors.joining("", "<Tagging><TagSet>", "</TagSet></Tagging>"));
    }

    @Test
    void tagsAreSetAnsweredAndRemoved() {
        assertThat(put("tagging", tags(50)).status()).isEqualTo(204);
        assertThat(bed.get(bucket + "?tagging").text())
                .contains("<Tag><Key>k49</Key><Value>v</Value></Tag>");
        assertThat(put("tagging", tags(51)).code()).isEqualTo("BadRequest");
        assertThat(bed.request("DELETE", bucket + "?tagging").send().status()).isEqualTo(204);
        assertThat(bed.get(bucket + "?tagging").code()).isEqualTo("NoSuchTagSet");
        assertThat(bed.request("DELETE", bucket + "?tagging").send().status()).isEqualTo(204);
    }

    @Test
    void documentsDoNotDisturbEachOtherOrThePolicy() {
        String policy =
                "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\","
                        + "\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/alice\"},"
                        + "\"Action\":\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::"
                        + bucket.substring(1)
                        + "/*\"}]}";
        assertThat(put("policy", policy).code()).isEqualTo("204");
        assertThat(put("tagging", tags(1)).status()).isEqualTo(204);
        assertThat(put("cors", CORS).status()).isEqualTo(200);
        assertThat(bed.get(bucket + "?policy").text()).isEqualTo(policy);
        assertThat(bed.request("DELETE", bucket + "?policy").send().status()).isEqualTo(204);
        assertThat(bed.get(bucket + "?tagging").text()).contains("<Key>k0</Key>");
        assertThat(bed.get(bucket + "?cors").text()).contains("https://a.example");
    }

    @Test
    void thePastHasTheDocumentsOfThen() {
        put("cors", CORS);
        Instant then = bed.pause();
        bed.request("DELETE", bucket + "?cors").send();
        bed.pause();
        String past = "/" + Past.alias(bucket.substring(1), then);
        assertThat(bed.get(past + "?cors").text()).contains("https://a.example");
        assertThat(bed.get(bucket + "?cors").code()).isEqualTo("NoSuchCORSConfiguration");
        assertThat(bed.request("PUT", past + "?cors").body(CORS).send().status())
                .isGreaterThanOrEqualTo(400);
        assertThat(bed.get(past + "?cors").text()).contains("https://a.example");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "requestPayment|RequestPaymentConfiguration|Payer|BucketOwner",
                "requestPayment|RequestPaymentConfiguration|Payer|Requester",
                "accelerate|AccelerateConfiguration|Status|Enabled",
                "accelerate|AccelerateConfiguration|Status|Suspended",
            })
    void wordsAreStored(String query, String root, String name, String word) {
        String document = "<%s><%s>%s</%s></%s>".formatted(root, name, word, name, root);
        assertThat(put(query, document).status()).isEqualTo(200);
        assertThat(bed.get(bucket + "?" + query).text())
                .contains("<%s>%s</%s>".formatted(name, word, name));
        for (String wrong :
                new String[] {
                    "x",
                    document.replace(word, "Other"),
                    document.replace(root, "Root"),
                    document.replace(name, "Name"),
                    "<%s><%s>%s</%s><%s>%s</%s></%s>"
                            .formatted(root, name, word, name, name, word, name, root),
                }) {
            assertThat(put(query, wrong).code()).as(wrong).isEqualTo("MalformedXML");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ownershipControls|<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced"
                        + "</ObjectOwnership></Rule></OwnershipControls>|200",
                "ownershipControls|<OwnershipControls><Rule><ObjectOwnership>ObjectWriter"
                        + "</ObjectOwnership></Rule></OwnershipControls>|200",
                "ownershipControls|<OwnershipControls/>|MalformedXML",
                "notification|<NotificationConfiguration/>|200",
                "notification|<NotificationConfiguration><TopicConfiguration/>"
                        + "</NotificationConfiguration>|MalformedXML",
                "notification|<BucketLoggingStatus/>|MalformedXML",
                "logging|<BucketLoggingStatus/>|200",
                "logging|<BucketLoggingStatus><LoggingEnabled/></BucketLoggingStatus>"
                        + "|MalformedXML",
            })
    void whatHoldsAnywayCanBeSet(String query, String document, String code) {
        assertThat(put(query, document).code()).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<CORSConfiguration/>|MalformedXML",
                "<CORSConfiguration><CORSRule/></CORSConfiguration>|MalformedXML",
                "<CORSConfiguration><Rule/></CORSConfiguration>|MalformedXML",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule>"
                        + "</CORSConfiguration>|MalformedXML",
                "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule>"
                        + "</CORSConfiguration>|MalformedXML",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                        + "<AllowedMethod>PATCH</AllowedMethod></CORSRule>"
                        + "</CORSConfiguration>|InvalidRequest",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*.*</AllowedOrigin>"
                        + "<AllowedMethod>GET</AllowedMethod></CORSRule>"
                        + "</CORSConfiguration>|InvalidRequest",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                        + "<AllowedMethod>GET</AllowedMethod><AllowedHeader>a*b*</AllowedHeader>"
                        + "</CORSRule></CORSConfiguration>|InvalidRequest",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                        + "<AllowedMethod>GET</AllowedMethod><ExposeHeader>x-*</ExposeHeader>"
                        + "</CORSRule></CORSConfiguration>|InvalidRequest",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                        + "<AllowedMethod>GET</AllowedMethod><ExposeHeader>a&#10;b</ExposeHeader>"
                        + "</CORSRule></CORSConfiguration>|MalformedXML",
                "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                        + "<AllowedMethod>GET</AllowedMethod><MaxAgeSeconds>-1</MaxAgeSeconds>"
                        + "</CORSRule></CORSConfiguration>|MalformedXML",
            })
    void invalidRulesAreRefused(String document, String code) {
        assertThat(put("cors", document).code()).isEqualTo(code);
        assertThat(bed.get(bucket + "?cors").code()).isEqualTo("NoSuchCORSConfiguration");
    }

    /** An entity takes six bytes for one of the request. */
    @Test
    void aConfigurationIsLimitedAsItIsStored() {
        String header = "<ExposeHeader>" + "\"".repeat(12_000) + "</ExposeHeader>";
        TestResponse refused = put("cors", CORS.replace("</CORSRule>", header + "</CORSRule>"));
        assertThat(refused.code()).isEqualTo("MaxMessageLengthExceeded");
        assertThat(refused.text()).contains("as it is stored", "65536 are possible");
        assertThat(bed.get(bucket + "?cors").code()).isEqualTo("NoSuchCORSConfiguration");
        String shorter = "<ExposeHeader>" + "\"".repeat(10_000) + "</ExposeHeader>";
        assertThat(put("cors", CORS.replace("</CORSRule>", shorter + "</CORSRule>")).status())
                .isEqualTo(200);
    }

    /** A change writes the texts before it as well, and the segments of this store are small. */
    @Test
    void allConfigurationsTogetherAreLimited() {
        assertThat(put("lifecycle", lifecycle(100, 700)).status()).isEqualTo(200);
        TestResponse refused = put("lifecycle", lifecycle(1000, 900));
        assertThat(refused.code()).isEqualTo("MaxMessageLengthExceeded");
        assertThat(refused.text()).contains("shorten or remove one");
        assertThat(put("lifecycle", lifecycle(1000, 1100)).code())
                .isEqualTo("MaxMessageLengthExceeded");
        assertThat(put("lifecycle", lifecycle(100, 700)).status()).isEqualTo(200);
    }

    private static String lifecycle(int rules, int prefixChars) {
        String prefix = "p".repeat(prefixChars);
        return IntStream.range(0, rules)
                .mapToObj(
                        i ->
                                "<Rule><ID>rule "
                                        + i
                                        + "</ID><Status>Enabled</Status><Filter><Prefix>"
                                        + prefix
                                        + i
                                        + "</Prefix></Filter><Expiration><Days>1</Days>"
                                        + "</Expiration></Rule>")
                .collect(
                        Collectors.joining(
                                "", "<LifecycleConfiguration>", "</LifecycleConfiguration>"));
    }

    @Test
    void aThousandLifecycleRulesAreTheMost() {
        String most = lifecycle(1000, 150);
        assertThat(put("lifecycle", most).status()).isEqualTo(200);
        assertThat(bed.get(bucket + "?lifecycle").xml("LifecycleConfiguration").all("Rule"))
                .hasSize(1000);
        assertThat(put("lifecycle", lifecycle(1001, 10)).code()).isEqualTo("MalformedXML");
        String key = "/" + "p".repeat(150) + "999x";
        assertThat(bed.request("PUT", bucket + key).body("x").send().header("x-amz-expiration"))
                .isNotEmpty();
    }

    @Test
    void aHundredRulesAreTheMost() {
        String rule = CORS.replace("</*CORSConfiguration>", "");
        rule = rule.substring("<CORSConfiguration>".length(), rule.lastIndexOf("</CORSC"));
        String most = "<CORSConfiguration>" + rule.repeat(100) + "</CORSConfiguration>";
        assertThat(put("cors", most).status()).isEqualTo(200);
        assertThat(put("cors", most.replace("</CORSC", rule + "</CORSC")).code())
                .isEqualTo("MalformedXML");
    }

    @Test
    void othersNeedARight() {
        put("cors", CORS);
        for (String query : new String[] {"cors", "tagging", "requestPayment", "accelerate"}) {
            for (String method : new String[] {"GET", "PUT", "DELETE"}) {
                assertThat(bed.request(method, bucket + "?" + query).sendAs(bed.bob()).status())
                        .isIn(403, 501);
            }
        }
        assertThat(bed.get(bucket + "?cors").status()).isEqualTo(200);
    }

    @Test
    void policiesDependOnTheTagsOfABucket() {
        put(
                "tagging",
                "<Tagging><TagSet><Tag><Key>team</Key><Value>red</Value></Tag></TagSet></Tagging>");
        String policy =
                "{\"Version\":\"2012-10-17\",\"Statement\":["
                        + "{\"Effect\":\"Allow\",\"Principal\":"
                        + "{\"AWS\":\"arn:aws:iam::000000000000:user/bob\"},"
                        + "\"Action\":\"s3:ListBucket\",\"Resource\":\"arn:aws:s3:::NAME\","
                        + "\"Condition\":{\"StringEquals\":{\"aws:ResourceTag/team\":\"TEAM\"}}},"
                        + "{\"Effect\":\"Allow\",\"Principal\":"
                        + "{\"AWS\":\"arn:aws:iam::000000000000:user/bob\"},"
                        + "\"Action\":\"s3:PutObject\",\"Resource\":\"arn:aws:s3:::NAME/*\","
                        + "\"Condition\":{\"StringEquals\":{\"s3:BucketTag/team\":\"TEAM\"}}}]}";
        policy = policy.replace("NAME", bucket.substring(1));
        for (String team : new String[] {"red", "blue"}) {
            assertThat(put("policy", policy.replace("TEAM", team)).code()).isEqualTo("204");
            int status = team.equals("red") ? 200 : 403;
            assertThat(bed.request("GET", bucket).sendAs(bed.bob()).status()).isEqualTo(status);
            assertThat(bed.request("PUT", bucket + "/k").body("x").sendAs(bed.bob()).status())
                    .isEqualTo(status);
        }
    }

    private static final String NEW =
            "<CreateBucketConfiguration><Tags>%s</Tags></CreateBucketConfiguration>";

    private static String newTag(String key, String value) {
        return "<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>";
    }

    private static TestRequest create(String name, String tags) {
        return bed.request("PUT", name).body(NEW.formatted(tags));
    }

    @Test
    void aBucketIsMadeWithTags() {
        String name = "/" + bed.freshName();
        assertThat(create(name, newTag("a", "1") + newTag("a", "2")).send().code())
                .isEqualTo("InvalidTag");
        assertThat(create(name, "<Tag><Key>a</Key></Tag>").send().code()).isEqualTo("MalformedXML");
        assertThat(create(name, tags(51).replaceAll("</?Tag(ging|Set)>", "")).send().code())
                .isEqualTo("BadRequest");
        assertThat(bed.request("HEAD", name).send().status()).isEqualTo(404);

        assertThat(create(name, newTag("a", "1")).send().status()).isEqualTo(200);
        assertThat(bed.get(name + "?tagging").text()).contains("<Key>a</Key><Value>1</Value>");
        // Making it again answers as if it had been made so, or refuses, but sets no tags.
        assertThat(create(name, newTag("a", "1")).send().status()).isEqualTo(200);
        assertThat(create(name, newTag("a", "2")).send().code())
                .isEqualTo("BucketAlreadyOwnedByYou");
        assertThat(bed.request("PUT", name).send().status()).isEqualTo(200);
        assertThat(bed.get(name + "?tagging").text()).contains("<Key>a</Key><Value>1</Value>");

        String untagged = "/" + bed.freshName();
        assertThat(create(untagged, "").send().status()).isEqualTo(200);
        assertThat(bed.get(untagged + "?tagging").code()).isEqualTo("NoSuchTagSet");
    }

    private static S3Protocol allowingCarol(String statements) {
        Credential carol =
                new Credential(
                        "CAROL",
                        "carolsecret",
                        "carol",
                        "Carol",
                        Credential.Kind.USER,
                        0,
                        Optional.empty());
        String policy =
                ("{'Version':'2012-10-17','Statement':[" + statements + "]}").replace('\'', '"');
        return new S3Protocol(
                bed.store(),
                S3TestBed.credentials().or(new FixedCredentials(List.of(carol))),
                new Authority(who -> who.equals(carol) ? List.of(policy) : List.of()),
                new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true),
                AuditTrail.NONE);
    }

    private static String asCarol(S3Protocol protocol, String name, String tags) {
        TestSigner carol = new TestSigner("CAROL", "carolsecret", S3TestBed.DATE, S3TestBed.REGION);
        return create(name, tags).over(protocol).sendAs(carol).code();
    }

    @Test
    void tagsOfANewBucketNeedTagResource() {
        String name = "/" + bed.freshName();
        for (String tooFew : new String[] {"s3:CreateBucket", "s3:TagResource"}) {
            S3Protocol protocol =
                    allowingCarol("{'Effect':'Allow','Action':'" + tooFew + "','Resource':'*'}");
            assertThat(asCarol(protocol, name, newTag("team", "red"))).isEqualTo("AccessDenied");
        }
        assertThat(bed.request("HEAD", name).send().status()).isEqualTo(404);
        S3Protocol both =
                allowingCarol(
                        "{'Effect':'Allow','Action':['s3:CreateBucket','s3:TagResource'],"
                                + "'Resource':'*'}");
        assertThat(asCarol(both, name, newTag("team", "red"))).isEqualTo("200");
        String denying =
                "{'Effect':'Allow','Action':'s3:*','Resource':'*'},"
                        + "{'Effect':'Deny','Action':'s3:TagResource','Resource':'*'}";
        String other = "/" + bed.freshName();
        assertThat(asCarol(allowingCarol(denying), other, newTag("a", "b")))
                .isEqualTo("AccessDenied");
        assertThat(asCarol(allowingCarol(denying), other, "")).isEqualTo("200");
    }

    @Test
    void policiesDependOnTheTagsOfANewBucket() {
        S3Protocol protocol =
                allowingCarol(
                        "{'Effect':'Allow','Action':['s3:CreateBucket','s3:TagResource'],"
                                + "'Resource':'*','Condition':{"
                                + "'StringEquals':{'aws:RequestTag/team':'red'},"
                                + "'ForAllValues:StringEquals':{'aws:TagKeys':['team','cost']}}}");
        String name = "/" + bed.freshName();
        String red = newTag("team", "red");
        for (String tags : new String[] {"", newTag("team", "blue"), red + newTag("x", "y")}) {
            assertThat(asCarol(protocol, name, tags)).as(tags).isEqualTo("AccessDenied");
        }
        assertThat(asCarol(protocol, name, red + newTag("cost", "1"))).isEqualTo("200");
        // The tags of a bucket are no tags of an object.
        S3Protocol objects =
                allowingCarol(
                        "{'Effect':'Allow','Action':'s3:*','Resource':'*','Condition':{"
                                + "'StringEquals':{'s3:RequestObjectTag/team':'red'}}}");
        assertThat(asCarol(objects, "/" + bed.freshName(), red)).isEqualTo("AccessDenied");
    }
}

package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.past.Past;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests Object Lock at the protocol: forms, errors, headers, and permissions. */
final class ObjectLockTest extends S3TestCase {
    private static final String SOON = "2030-01-01T00:00:00.000Z";
    private static final String BYPASS = "x-amz-bypass-governance-retention";
    private static final String MODE = "x-amz-object-lock-mode";
    private static final String UNTIL = "x-amz-object-lock-retain-until-date";
    private static final String HOLD = "x-amz-object-lock-legal-hold";

    private static TestRequest locked(TestRequest request, String mode) {
        return request.header(MODE, mode).header(UNTIL, SOON);
    }

    /** Creates a put with the digest that S3 requires. */
    private static TestRequest put(String target) {
        byte[] md5 = TestSigner.md5("x".getBytes(StandardCharsets.US_ASCII));
        return bed.request("PUT", target)
                .header("content-md5", Base64.getEncoder().encodeToString(md5))
                .body("x");
    }

    private static String retention(String mode, String until) {
        return "<Retention><Mode>%s</Mode><RetainUntilDate>%s</RetainUntilDate></Retention>"
                .formatted(mode, until);
    }

    private static TestRequest retain(String target, String mode, String until) {
        return bed.request("PUT", target + "?retention").body(retention(mode, until));
    }

    private static TestRequest hold(String target, String status) {
        return bed.request("PUT", target + "?legal-hold")
                .body("<LegalHold><Status>" + status + "</Status></LegalHold>");
    }

    private static TestRequest configure(String bucket, String rule) {
        return bed.request("PUT", "/" + bucket + "?object-lock")
                .body(
                        "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>"
                                + rule
                                + "</ObjectLockConfiguration>");
    }

    private static String rule(String inner) {
        return "<Rule><DefaultRetention>" + inner + "</DefaultRetention></Rule>";
    }

    private static String versionOf(TestResponse put) {
        assertThat(put.status()).as(put.text()).isEqualTo(200);
        return put.header("x-amz-version-id");
    }

    // ---- buckets

    @Test
    void aBucketSaysWhetherItHasObjectLock() {
        String plain = bed.bucket();
        TestResponse none = bed.get("/" + plain + "?object-lock");
        assertThat(none.status()).isEqualTo(404);
        assertThat(none.code()).isEqualTo("ObjectLockConfigurationNotFoundError");
        assertThat(none.text()).contains("<BucketName>" + plain + "</BucketName>");
        String made = bed.lockingBucket();
        assertThat(bed.get("/" + made + "?versioning").text()).contains("Enabled");
        assertThat(bed.get("/" + made + "?object-lock").xml("ObjectLockConfiguration").children())
                .extracting(each -> each.name() + "=" + each.text())
                .containsExactly("ObjectLockEnabled=Enabled");
        String rule = rule("<Mode>COMPLIANCE</Mode><Years>3</Years>");
        assertThat(configure(made, rule).send().status()).isEqualTo(200);
        assertThat(bed.get("/" + made + "?object-lock").text()).contains(rule);
        assertThat(configure(made, "").send().status()).isEqualTo(200);
        assertThat(bed.get("/" + made + "?object-lock").text()).doesNotContain("Rule");
    }

    @Test
    void everyAccountMakesBucketsWithObjectLock() {
        String target = "/" + bed.freshName();
        assertThat(
                        bed.request("PUT", target)
                                .header("x-amz-bucket-object-lock-enabled", "true")
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        TestRequest asked = bed.request("GET", target + "?object-lock");
        assertThat(asked.sendAs(bed.alice()).status()).isEqualTo(200);
    }

    @Test
    void objectLockAndVersioningGoTogether() {
        String bucket = bed.bucket();
        for (String state : new String[] {"", "Suspended"}) {
            if (!state.isEmpty()) {
                bed.setVersioning(bucket, state);
            }
            TestResponse refused = configure(bucket, "").send();
            assertThat(refused.code()).isEqualTo("InvalidBucketState");
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text()).contains("Versioning must be 'Enabled'");
        }
        bed.setVersioning(bucket, "Enabled");
        assertThat(configure(bucket, "").send().status()).isEqualTo(200);
        TestResponse suspended =
                bed.request("PUT", "/" + bucket + "?versioning")
                        .body(
                                "<VersioningConfiguration><Status>Suspended</Status>"
                                        + "</VersioningConfiguration>")
                        .send();
        assertThat(suspended.code()).isEqualTo("InvalidBucketState");
        assertThat(suspended.text()).contains("the versioning state cannot be changed");
        bed.setVersioning(bucket, "Enabled");
    }

    @Test
    void whoAsksForABucketWithObjectLockGetsNoOther() {
        String header = "x-amz-bucket-object-lock-enabled";
        String plain = bed.bucket();
        TestRequest again = bed.request("PUT", "/" + plain).header(header, "True");
        assertThat(again.send().code()).isEqualTo("BucketAlreadyOwnedByYou");
        String locking = bed.lockingBucket();
        assertThat(bed.request("PUT", "/" + locking).header(header, "true").send().status())
                .isEqualTo(200);
        assertThat(bed.request("PUT", "/" + bed.freshName()).header(header, "yes").send().code())
                .isEqualTo("InvalidArgument");
        String unlocked = bed.freshName();
        assertThat(bed.request("PUT", "/" + unlocked).header(header, "false").send().status())
                .isEqualTo(200);
        assertThat(bed.get("/" + unlocked + "?object-lock").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "<Rule/>, MalformedXML, ''",
        "<Rule><DefaultRetention/></Rule>, MalformedXML, ''",
        "<Mode>GOVERNANCE</Mode>, MalformedXML, ''",
        "<Days>1</Days>, MalformedXML, ''",
        "<Mode>governance</Mode><Days>1</Days>, MalformedXML, ''",
        "<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>, MalformedXML, ''",
        "<Mode>GOVERNANCE</Mode><Days>one</Days>, MalformedXML, ''",
        "<Mode>GOVERNANCE</Mode><Days>0</Days>, InvalidArgument, positive integer value",
        "<Mode>GOVERNANCE</Mode><Years>-1</Years>, InvalidArgument, positive integer value",
        "<Mode>GOVERNANCE</Mode><Days>36501</Days>, InvalidArgument, too large",
        "<Mode>GOVERNANCE</Mode><Years>101</Years>, InvalidArgument, too large",
        "<Mode>GOVERNANCE</Mode><DefaultEventHold/>, NotImplemented, DefaultEventHold"
    })
    void termsThatCannotBeAreRefused(String inner, String code, String words) {
        String bucket = bed.lockingBucket();
        String rule = inner.startsWith("<Rule") ? inner : rule(inner);
        TestResponse refused = configure(bucket, rule).send();
        assertThat(refused.code()).isEqualTo(code);
        assertThat(refused.text()).contains(words);
        assertThat(bed.get("/" + bucket + "?object-lock").text()).doesNotContain("Rule");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<ObjectLockEnabled>Disabled</ObjectLockEnabled>"})
    void objectLockCannotBeTurnedOff(String enabled) {
        String bucket = bed.lockingBucket();
        String document = "<ObjectLockConfiguration>" + enabled + "</ObjectLockConfiguration>";
        assertThat(bed.request("PUT", "/" + bucket + "?object-lock").body(document).send().code())
                .isEqualTo("MalformedXML");
        assertThat(bed.request("DELETE", "/" + bucket + "?object-lock").send().code())
                .isEqualTo("NotImplemented");
        assertThat(bed.get("/" + bucket + "?object-lock").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"Days, 36500", "Years, 100"})
    void theLongestPeriodsAreTaken(String unit, String period) {
        String bucket = bed.lockingBucket();
        String inner = "<Mode>GOVERNANCE</Mode><%s>%s</%s>".formatted(unit, period, unit);
        assertThat(configure(bucket, rule(inner)).send().status()).isEqualTo(200);
        assertThat(put("/" + bucket + "/k").send().status()).isEqualTo(200);
        assertThat(bed.request("HEAD", "/" + bucket + "/k").send().header(UNTIL))
                .isEqualTo("2126-10-28T10:00:00.000Z");
    }

    // ---- locks of versions

    @Test
    void aRetentionIsSetReadAndKept() {
        String bucket = bed.lockingBucket();
        String key = "/" + bucket + "/k";
        String version = versionOf(put(key).send());
        assertThat(bed.get(key + "?retention").code()).isEqualTo("NoSuchObjectLockConfiguration");
        assertThat(retain(key, "GOVERNANCE", SOON).send().status()).isEqualTo(200);
        assertThat(bed.get(key + "?retention&versionId=" + version).text())
                .contains("<Mode>GOVERNANCE</Mode><RetainUntilDate>" + SOON + "</RetainUntilDate>");
        TestResponse head = bed.request("HEAD", key).send();
        assertThat(head.header(MODE)).isEqualTo("GOVERNANCE");
        assertThat(head.header(UNTIL)).isEqualTo(SOON);
        assertThat(head.hasHeader(HOLD)).isFalse();
        String named = key + "?versionId=" + version;
        TestResponse refused = bed.request("DELETE", named).send();
        assertThat(refused.code()).isEqualTo("AccessDenied");
        assertThat(refused.text()).contains("object protected by object lock");
        assertThat(retain(key, "GOVERNANCE", "2029-01-01T00:00:00Z").send().code())
                .isEqualTo("AccessDenied");
        assertThat(bed.request("PUT", key + "?retention").body("<Retention/>").send().code())
                .isEqualTo("AccessDenied");
        assertThat(
                        bed.request("PUT", key + "?retention")
                                .header(BYPASS, "true")
                                .body("<Retention/>")
                                .send()
                                .status())
                .isEqualTo(200);
        assertThat(bed.get(key).hasHeader(MODE)).isFalse();
        assertThat(retain(key, "COMPLIANCE", SOON).send().status()).isEqualTo(200);
        assertThat(bed.request("DELETE", named).header(BYPASS, "true").send().code())
                .isEqualTo("AccessDenied");
        assertThat(bed.get(named).text()).isEqualTo("x");
    }

    @Test
    void aLegalHoldIsSetReadAndTakenBack() {
        String key = "/" + bed.lockingBucket() + "/k";
        String named = key + "?versionId=" + versionOf(put(key).send());
        assertThat(bed.get(key + "?legal-hold").code()).isEqualTo("NoSuchObjectLockConfiguration");
        assertThat(hold(key, "ON").send().status()).isEqualTo(200);
        assertThat(bed.get(key + "?legal-hold").xml("LegalHold").childText("Status"))
                .contains("ON");
        assertThat(bed.get(key).header(HOLD)).isEqualTo("ON");
        assertThat(bed.request("DELETE", named).header(BYPASS, "true").send().code())
                .isEqualTo("AccessDenied");
        assertThat(hold(key, "OFF").send().status()).isEqualTo(200);
        assertThat(bed.get(key + "?legal-hold").text()).contains("<Status>OFF</Status>");
        assertThat(bed.request("DELETE", named).send().status()).isEqualTo(204);
    }

    @Test
    void eachOfManyDeletesIsJudgedByItself() {
        String bucket = bed.lockingBucket();
        String locked = versionOf(locked(put("/" + bucket + "/a"), "GOVERNANCE").send());
        String free = versionOf(put("/" + bucket + "/b").send());
        String document =
                ("<Delete><Object><Key>a</Key><VersionId>%s</VersionId></Object>"
                                + "<Object><Key>b</Key><VersionId>%s</VersionId></Object></Delete>")
                        .formatted(locked, free);
        TestResponse first = deleteAll(bucket, document).send();
        assertThat(first.text())
                .contains("<Deleted><Key>b</Key>")
                .contains("<Error><Key>a</Key><VersionId>" + locked)
                .contains("<Code>AccessDenied</Code>");
        TestResponse second = deleteAll(bucket, document).header(BYPASS, "true").send();
        assertThat(second.text()).contains("<Deleted><Key>a</Key>").doesNotContain("<Error>");
    }

    private static TestRequest deleteAll(String bucket, String document) {
        byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
        return bed.request("POST", "/" + bucket + "?delete")
                .header("content-md5", Base64.getEncoder().encodeToString(TestSigner.md5(bytes)))
                .body(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Retention><Mode>GOVERNANCE</Mode></Retention>",
                "<Retention><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate></Retention>",
                "<Retention><Mode>governance</Mode>"
                        + "<RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate></Retention>",
                "<Retention><Mode>GOVERNANCE</Mode>"
                        + "<RetainUntilDate>tomorrow</RetainUntilDate></Retention>",
                "<Retention><Mode>GOVERNANCE</Mode>"
                        + "<RetainUntilDate>+10000-01-01T00:00:00Z</RetainUntilDate></Retention>",
                "<LegalHold/>",
                "no XML",
                ""
            })
    void retentionsThatCannotBeAreRefused(String document) {
        String key = "/" + bed.lockingBucket() + "/k";
        put(key).send();
        assertThat(bed.request("PUT", key + "?retention").body(document).send().code())
                .isEqualTo("MalformedXML");
        assertThat(bed.get(key + "?retention").code()).isEqualTo("NoSuchObjectLockConfiguration");
    }

    @Test
    void whatCannotBeLockedSaysWhy() {
        String key = "/" + bed.lockingBucket() + "/k";
        assertThat(retain(key, "GOVERNANCE", SOON).send().code()).isEqualTo("NoSuchKey");
        put(key).send();
        TestResponse past = retain(key, "GOVERNANCE", "2020-01-01T00:00:00Z").send();
        assertThat(past.code()).isEqualTo("InvalidArgument");
        assertThat(past.text()).contains("The retain until date must be in the future!");
        assertThat(hold(key, "on").send().code()).isEqualTo("MalformedXML");
        assertThat(
                        bed.request("PUT", key + "?retention")
                                .body("<Retention><EventHold>ON</EventHold></Retention>")
                                .send()
                                .code())
                .isEqualTo("NotImplemented");
        TestResponse marker = bed.request("DELETE", key).send();
        String named = key + "?versionId=" + marker.header("x-amz-version-id");
        assertThat(bed.get(named + "&retention").code()).isEqualTo("MethodNotAllowed");
        assertThat(bed.request("DELETE", named).send().status()).isEqualTo(204);
        String plain = "/" + bed.versionedBucket() + "/k";
        bed.put(plain, "x");
        for (TestRequest request :
                new TestRequest[] {
                    retain(plain, "GOVERNANCE", SOON),
                    hold(plain, "ON"),
                    bed.request("GET", plain + "?retention"),
                    bed.request("GET", plain + "?legal-hold"),
                    locked(put(plain), "GOVERNANCE"),
                    locked(bed.request("POST", plain + "?uploads"), "GOVERNANCE"),
                    put(plain).header(HOLD, "OFF")
                }) {
            TestResponse refused = request.send();
            assertThat(refused.code()).isEqualTo("InvalidRequest");
            assertThat(refused.text()).contains("Bucket is missing Object Lock Configuration");
        }
        assertThat(bed.request("DELETE", plain).header(BYPASS, "true").send().status())
                .isEqualTo(204);
    }

    // ---- new objects

    @Test
    void newObjectsAreLockedByTheirHeaders() {
        String bucket = bed.lockingBucket();
        String source = "/" + bucket + "/source";
        versionOf(locked(put(source), "GOVERNANCE").header(HOLD, "ON").send());
        assertLocked(source, "GOVERNANCE");
        assertThat(bed.get(source).header(HOLD)).isEqualTo("ON");
        String copy = "/" + bucket + "/copy";
        TestRequest plain = bed.request("PUT", copy).header("x-amz-copy-source", source);
        assertThat(plain.send().status()).isEqualTo(200);
        TestResponse unlocked = bed.get(copy);
        assertThat(unlocked.hasHeader(MODE)).isFalse();
        assertThat(unlocked.hasHeader(HOLD)).isFalse();
        TestRequest copied = bed.request("PUT", copy).header("x-amz-copy-source", source);
        assertThat(locked(copied, "COMPLIANCE").send().status()).isEqualTo(200);
        assertLocked(copy, "COMPLIANCE");
        String target = "/" + bucket + "/upload";
        String upload =
                locked(bed.request("POST", target + "?uploads"), "GOVERNANCE").send().uploadId();
        String part = target + "?uploadId=" + upload;
        String etag = bed.put(part + "&partNumber=1", "part").header("etag");
        TestResponse done =
                bed.request("POST", part)
                        .body(
                                ("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                                + "%s</ETag></Part></CompleteMultipartUpload>")
                                        .formatted(etag.replace("\"", "")))
                        .send();
        assertThat(done.status()).as(done.text()).isEqualTo(200);
        assertLocked(target, "GOVERNANCE");
    }

    private static void assertLocked(String target, String mode) {
        TestResponse got = bed.get(target);
        assertThat(got.header(MODE)).isEqualTo(mode);
        assertThat(got.header(UNTIL)).isEqualTo(SOON);
    }

    @ParameterizedTest
    @CsvSource({
        "GOVERNANCE, '', '', must both be supplied",
        "'', 2030-01-01T00:00:00Z, '', must both be supplied",
        "governance, 2030-01-01T00:00:00Z, '', Unknown wormMode directive.",
        "GOVERNANCE, abc, '', must be provided in ISO 8601 format",
        "GOVERNANCE, 2020-01-01T00:00:00Z, '', must be in the future",
        "'', '', on, either of 'ON' or 'OFF'"
    })
    void headersThatCannotBeAreRefused(String mode, String until, String hold, String words) {
        String target = "/" + bed.lockingBucket() + "/k";
        TestRequest request = put(target);
        String[][] headers = {{MODE, mode}, {UNTIL, until}, {HOLD, hold}};
        for (String[] header : headers) {
            if (!header[1].isEmpty()) {
                request.header(header[0], header[1]);
            }
        }
        TestResponse refused = request.send();
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains(words);
        assertThat(bed.get(target).code()).isEqualTo("NoSuchKey");
    }

    /** The payload hash in the signature does not count as a digest, as in S3. */
    @Test
    void whatWillBeLockedComesWithADigest() {
        String bucket = bed.lockingBucket();
        String target = "/" + bucket + "/k";
        TestRequest bare = bed.request("PUT", target).body("x");
        TestResponse refused = locked(bare, "GOVERNANCE").send();
        assertThat(refused.code()).isEqualTo("InvalidRequest");
        assertThat(refused.text()).contains("Content-MD5 OR x-amz-checksum-");
        bed.put(target, "free");
        configure(bucket, rule("<Mode>GOVERNANCE</Mode><Days>1</Days>")).send();
        assertThat(bed.request("PUT", target).body("x").send().code()).isEqualTo("InvalidRequest");
        assertThat(put(target).send().status()).isEqualTo(200);
        assertThat(bed.get(target).header(UNTIL)).isEqualTo("2026-11-22T10:00:00.000Z");
    }

    @Test
    void thePastShowsTheLockOfThen() {
        String bucket = bed.lockingBucket();
        String key = "/" + bucket + "/k";
        put(key).send();
        Instant free = bed.pause();
        assertThat(retain(key, "GOVERNANCE", SOON).send().status()).isEqualTo(200);
        Instant locked = bed.pause();
        String then = "/" + Past.alias(bucket, free) + "/k";
        assertThat(bed.get(then + "?retention").code()).isEqualTo("NoSuchObjectLockConfiguration");
        assertThat(bed.get(then).hasHeader(MODE)).isFalse();
        assertThat(bed.get("/" + Past.alias(bucket, locked) + "/k?retention").text())
                .contains(SOON);
        bed.setNow(S3TestBed.NOW);
    }

    // ---- who may

    private static void allowBob(String bucket, String actions, String condition) {
        String policy =
                ("{'Statement':[{'Effect':'Allow','Principal':{'AWS':"
                                + "'arn:aws:iam::000000000000:user/bob'},'Action':[%s],"
                                + "'Resource':['arn:aws:s3:::%s','arn:aws:s3:::%s/*']%s}]}")
                        .formatted(actions, bucket, bucket, condition)
                        .replace('\'', '"');
        assertThat(bed.request("PUT", "/" + bucket + "?policy").body(policy).send().status())
                .isEqualTo(204);
    }

    private static String byBob(TestRequest request) {
        return request.sendAs(bed.bob()).code();
    }

    @Test
    void eachRightIsOneOfItsOwn() {
        String bucket = bed.lockingBucket();
        String key = "/" + bucket + "/k";
        String named = key + "?versionId=" + versionOf(put(key).header(HOLD, "OFF").send());
        retain(key, "GOVERNANCE", SOON).send();
        allowBob(bucket, "'s3:GetObject','s3:PutObject','s3:DeleteObjectVersion'", "");
        TestResponse seen = bed.request("GET", key).sendAs(bed.bob());
        assertThat(seen.status()).isEqualTo(200);
        assertThat(seen.hasHeader(MODE)).isFalse();
        assertThat(seen.hasHeader(HOLD)).isFalse();
        TestRequest[] all = {
            bed.request("GET", key + "?retention"),
            bed.request("GET", key + "?legal-hold"),
            retain(key, "GOVERNANCE", "2031-01-01T00:00:00Z"),
            hold(key, "OFF"),
            bed.request("GET", "/" + bucket + "?object-lock"),
            configure(bucket, ""),
            locked(put(key), "GOVERNANCE"),
            put(key).header(HOLD, "OFF"),
            bed.request("DELETE", named).header(BYPASS, "true")
        };
        for (TestRequest request : all) {
            assertThat(byBob(request)).isEqualTo("AccessDenied");
        }
        allowBob(
                bucket,
                "'s3:GetObject','s3:PutObject','s3:DeleteObjectVersion',"
                        + "'s3:GetObjectRetention','s3:PutObjectRetention',"
                        + "'s3:GetObjectLegalHold','s3:PutObjectLegalHold',"
                        + "'s3:GetBucketObjectLockConfiguration',"
                        + "'s3:PutBucketObjectLockConfiguration','s3:BypassGovernanceRetention'",
                "");
        for (TestRequest request : all) {
            assertThat(byBob(request)).isIn("200", "204");
        }
        assertThat(bed.request("GET", key).sendAs(bed.bob()).hasHeader(HOLD)).isTrue();
        assertThat(bed.get(named).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "NumericLessThanEquals, remaining-retention-days, 10",
        "DateLessThanEquals, retain-until-date, 2026-12-01T10:00:00Z",
        "StringEquals, mode, GOVERNANCE"
    })
    void conditionsSeeTheLockThatIsAskedFor(String operator, String name, String value) {
        String bucket = bed.lockingBucket();
        String key = "/" + bucket + "/k";
        put(key).send();
        allowBob(
                bucket,
                "'s3:PutObject','s3:PutObjectRetention','s3:GetObject'",
                ",'Condition':{'%s':{'s3:object-lock-%s':'%s'}}".formatted(operator, name, value));
        String tenDays = "2026-12-01T10:00:00Z";
        boolean isMode = name.equals("mode");
        String mode = isMode ? "COMPLIANCE" : "GOVERNANCE";
        String until = isMode ? tenDays : "2026-12-01T10:00:01Z";
        TestRequest byHeaders = put(key).header(MODE, mode).header(UNTIL, until);
        assertThat(byBob(byHeaders)).isEqualTo("AccessDenied");
        assertThat(byBob(retain(key, mode, until))).isEqualTo("AccessDenied");
        TestRequest allowed = put(key).header(MODE, "GOVERNANCE").header(UNTIL, tenDays);
        assertThat(byBob(allowed)).isEqualTo("200");
        assertThat(byBob(retain(key, "GOVERNANCE", tenDays))).isEqualTo("200");
    }

    @Test
    void conditionsSeeTheLegalHoldThatIsAskedFor() {
        String bucket = bed.lockingBucket();
        String key = "/" + bucket + "/k";
        put(key).send();
        allowBob(
                bucket,
                "'s3:PutObjectLegalHold'",
                ",'Condition':{'StringEquals':{'s3:object-lock-legal-hold':'ON'}}");
        assertThat(byBob(hold(key, "OFF"))).isEqualTo("AccessDenied");
        assertThat(byBob(hold(key, "ON"))).isEqualTo("200");
    }
}

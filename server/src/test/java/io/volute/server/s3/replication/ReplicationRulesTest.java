package io.volute.server.s3.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The replication configuration: both forms of S3, and the rule that wins. */
class ReplicationRulesTest {
    private static final String HERE =
            "<Destination><Bucket>arn:aws:s3:::copy</Bucket></Destination>";
    private static final String MARKERS =
            "<DeleteMarkerReplication><Status>Disabled</Status></DeleteMarkerReplication>";
    private static final String ON = "<Status>Enabled</Status>";

    private static ReplicationRules rules(String... rules) {
        return read("<Role>r</Role><Rule>" + String.join("</Rule><Rule>", rules) + "</Rule>");
    }

    private static ReplicationRules read(String content) {
        return ReplicationRules.read(
                ("<ReplicationConfiguration>" + content + "</ReplicationConfiguration>")
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static ObjectVersion version(String key, Map<String, String> tags) {
        return new ObjectVersion(
                new ObjectKey(key),
                1,
                false,
                true,
                false,
                Instant.EPOCH,
                "",
                0,
                0,
                ObjectAttributes.ofEtag("").withTags(tags));
    }

    @Test
    void theFirstFormHasAPrefixAndReplicatesMarkers() {
        ReplicationRules rules = rules("<Prefix>a/</Prefix>" + ON + HERE);
        assertThat(rules.matching(version("a/1", Map.of())))
                .singleElement()
                .satisfies(rule -> assertThat(rule.markers()).isTrue());
        assertThat(rules.matching(version("b/1", Map.of()))).isEmpty();
    }

    @Test
    void theFilterHasPrefixAndTags() {
        ReplicationRules rules =
                rules(
                        "<Priority>1</Priority><Filter><And><Prefix>a/</Prefix><Tag><Key>k</Key>"
                                + "<Value>v</Value></Tag></And></Filter>"
                                + ON
                                + MARKERS
                                + HERE);
        assertThat(rules.matching(version("a/1", Map.of("k", "v", "l", "w")))).hasSize(1);
        assertThat(rules.matching(version("a/1", Map.of("k", "w")))).isEmpty();
        assertThat(rules.matching(version("b/1", Map.of("k", "v")))).isEmpty();
    }

    @Test
    void theGreatestPriorityWins() {
        String low = "<ID>low</ID><Priority>1</Priority><Filter/>" + ON + MARKERS + HERE;
        String high =
                "<ID>high</ID><Priority>2</Priority><Filter><Prefix>a</Prefix></Filter>"
                        + ON
                        + MARKERS
                        + HERE;
        assertThat(rules(low, high).matching(version("a", Map.of())))
                .extracting(ReplicationRule::id)
                .containsExactly("high");
        assertThat(rules(high, low).matching(version("b", Map.of())))
                .extracting(ReplicationRule::id)
                .containsExactly("low");
    }

    @Test
    void aDisabledRuleMatchesNothing() {
        ReplicationRules rules = rules("<Prefix/><Status>Disabled</Status>" + HERE);
        assertThat(rules.matching(version("a", Map.of()))).isEmpty();
    }

    @Test
    void whatIsStoredIsReadAgain() {
        ReplicationRules rules = rules("<Priority>7</Priority><Filter/>" + ON + MARKERS + HERE);
        String document = new String(rules.document(), StandardCharsets.UTF_8);
        assertThat(ReplicationRules.ofDocument(document).rules()).isEqualTo(rules.rules());
        assertThat(document).contains("<ID>replication-1</ID>", "<Role>r</Role>");
    }

    @Test
    void aTargetMustBeInTheSettings() {
        ReplicationRules rules =
                rules(
                        "<Prefix/>"
                                + ON
                                + "<Destination><Bucket>arn:volute:replication::far:copy</Bucket>"
                                + "</Destination>");
        rules.requireTargets(Set.of("far"));
        assertThatThrownBy(() -> rules.requireTargets(Set.of("near")))
                .isInstanceOf(S3Exception.class)
                .hasMessageContaining("replication.targets");
    }

    @Test
    void takesWhatHasTheSameEffectHere() {
        ReplicationRules rules =
                rules(
                        "<Prefix/>"
                                + ON
                                + "<SourceSelectionCriteria><ReplicaModifications><Status>Disabled"
                                + "</Status></ReplicaModifications></SourceSelectionCriteria>"
                                + "<Destination><Bucket>arn:aws:s3:::copy</Bucket>"
                                + "<Account>000000000000</Account><StorageClass>GLACIER"
                                + "</StorageClass><AccessControlTranslation><Owner>Destination"
                                + "</Owner></AccessControlTranslation><Metrics>"
                                + ON
                                + "</Metrics></Destination>");
        assertThat(rules.rules())
                .singleElement()
                .satisfies(rule -> assertThat(rule.storageClass()).contains("GLACIER"));
    }

    /** Earlier versions of the program took rules with Filter and without Priority. */
    @Test
    void storedDocumentsOfEarlierVersionsAreRead() {
        String document =
                "<ReplicationConfiguration><Role>r</Role><Rule><ID>x</ID><Filter/>"
                        + ON
                        + MARKERS
                        + HERE
                        + "</Rule></ReplicationConfiguration>";
        assertThat(ReplicationRules.ofDocument(document).rules()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "<Rule><Prefix/>ON HERE</Rule>, MalformedXML",
        "<Role>r</Role>, MalformedXML",
        "<Role>r</Role><Rule>ON HERE</Rule>, MalformedXML",
        "<Role>r</Role><Rule><Prefix/>HERE</Rule>, MalformedXML",
        "<Role>r</Role><Rule><Prefix/>ON</Rule>, MalformedXML",
        "<Role>r</Role><Rule><Filter/>ON HERE</Rule>, InvalidRequest",
        "<Role>r</Role><Rule><Filter/>ON MARK HERE</Rule>, InvalidRequest",
        "<Role>r</Role><Rule><Filter/><Priority>1</Priority>ON HERE</Rule>, InvalidRequest",
        "<Role>r</Role><Rule><Prefix/>ON MARK HERE</Rule>, InvalidRequest",
        "<Role>r</Role><Rule><Prefix/><Priority>1</Priority>ON HERE</Rule>, InvalidRequest",
        "<Role>r</Role><Rule>FORM<Filter><And><Prefix>a</Prefix></And></Filter>ON HERE</Rule>,"
                + " MalformedXML",
        "<Role>r</Role><Rule>FORM<Filter><And><Prefix>a</Prefix><Prefix>b</Prefix></And></Filter>"
                + "ON HERE</Rule>, MalformedXML",
        "<Role>r</Role><Rule>FORM<Filter><Prefix>a</Prefix><Tag><Key>k</Key><Value>v</Value></Tag>"
                + "</Filter>ON HERE</Rule>, MalformedXML",
        "<Role>r</Role><Rule>FORM<Filter><Tag><Key>k</Key></Tag></Filter>ON HERE</Rule>,"
                + " MalformedXML",
        "<Role>r</Role><Rule>FORM<Filter><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan></Filter>"
                + "ON HERE</Rule>, MalformedXML",
        "<Role>r</Role><Rule><Prefix/>ON <SourceSelectionCriteria><Else/>"
                + "</SourceSelectionCriteria>HERE</Rule>, MalformedXML",
        "<Role>r</Role><Rule><Prefix/>ON TO<Else/></Destination></Rule>, MalformedXML",
        "<Role>r</Role><Rule><Prefix/>ON TO<StorageClass>COLD</StorageClass></Destination></Rule>,"
                + " MalformedXML",
        "<Role>r</Role><Rule><Prefix/>ON TO<Account>12</Account></Destination></Rule>,"
                + " InvalidArgument",
        "<Role>r</Role><Rule><Prefix/>ON TO<AccessControlTranslation><Owner>Destination</Owner>"
                + "</AccessControlTranslation></Destination></Rule>, InvalidRequest",
        "<Role>r</Role><Rule><Prefix/>ON TO<Account>000000000000</Account>"
                + "<AccessControlTranslation><Owner>Source</Owner>"
                + "</AccessControlTranslation></Destination></Rule>, MalformedXML",
        "<Role>r</Role><Rule><Prefix/>ON TO<Metrics>ON <EventThreshold><Minutes>15</Minutes>"
                + "</EventThreshold></Metrics></Destination></Rule>, NotImplemented",
        "<Role>r</Role><Rule><Prefix/>ON TO<ReplicationTime>ON <Time><Minutes>15</Minutes></Time>"
                + "</ReplicationTime></Destination></Rule>, NotImplemented",
        "<Role>r</Role><Rule><Prefix/>ON TO<EncryptionConfiguration><ReplicaKmsKeyID>k"
                + "</ReplicaKmsKeyID></EncryptionConfiguration></Destination></Rule>,"
                + " InvalidRequest",
        "<Role>r</Role><Rule><Priority>1</Priority><Filter><Tag><Key>k</Key><Value>v</Value></Tag>"
                + "</Filter><DeleteMarkerReplication>ON</DeleteMarkerReplication>ON HERE</Rule>,"
                + " InvalidRequest",
        "<Role>r</Role><Rule><Prefix>a</Prefix>ON HERE</Rule><Rule><Prefix>ab</Prefix>ON HERE"
                + "</Rule>, InvalidRequest",
        "<Role>r</Role><Rule><Filter/>ON MARK HERE</Rule><Rule><Filter/>ON MARK HERE</Rule>,"
                + " InvalidRequest",
        "<Role>r</Role><Rule><ID>x</ID><Prefix>a</Prefix>ON HERE</Rule><Rule><ID>x</ID>"
                + "<Prefix>b</Prefix>ON HERE</Rule>, InvalidArgument",
        "<Role>r</Role><Rule><Prefix/>ON <Destination><Bucket>copy</Bucket></Destination></Rule>,"
                + " InvalidArgument",
        "<Role>r</Role><Rule><Prefix/>ON <SourceSelectionCriteria><ReplicaModifications>ON"
                + " </ReplicaModifications></SourceSelectionCriteria>HERE</Rule>, NotImplemented"
    })
    void refusesAsS3Does(String content, String code) {
        String document =
                content.replace("ON ", ON)
                        .replace("ON<", ON + "<")
                        .replace("MARK ", MARKERS)
                        .replace("FORM", "<Priority>1</Priority>" + MARKERS)
                        .replace("TO<", "<Destination><Bucket>arn:aws:s3:::copy</Bucket><")
                        .replace("HERE", HERE);
        assertThatThrownBy(() -> read(document))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.error().code()).isEqualTo(code));
    }
}

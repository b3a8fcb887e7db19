package io.volute.storage;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the storage core may use. Think hard before changing this. */
@AnalyzeClasses(packages = "io.volute", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule knowsNothingAbove =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.storage..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.volute.versioning..",
                            "io.volute.provenance..",
                            "io.volute.server..",
                            "io.volute.admin..",
                            "io.netty..",
                            "javax.xml..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyTheFileLayerTouchesFiles =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.storage..")
                    .and()
                    .resideOutsideOfPackages("io.volute.storage.io..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.nio.channels..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyTheIndexKnowsRocksDb =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.storage..")
                    .and()
                    .resideOutsideOfPackages("io.volute.storage.index..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.rocksdb..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule formatDoesNoInputOrOutput =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.storage.format..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.volute.storage.io..",
                            "io.volute.storage.log..",
                            "io.volute.storage.cube..",
                            "io.volute.storage.index..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule theLogDoesNotKnowTheIndex =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.storage.log..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.volute.storage.index..", "io.volute.storage.cube..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule theIndexDoesNotKnowTheLog =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.storage.index..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.volute.storage.log..", "io.volute.storage.cube..")
                    .allowEmptyShould(true);
}

/// Everything that the pages say. Each language has a text for each phrase (`Phrase+English.swift`); a name in braces
/// stands for a value.
enum Phrase: CaseIterable {
    // MARK: Dates and numbers

    case longDate, shortDate, shortDateWithYear, months, shortMonths, oneDay, days, oneHour, hours, oneMinute,
        minutes, onePass, passes, oneThing, things, noEnd, unknownEnd, dash, timesIn, timesInUTC, axisMonth,
        axisJanuary, dateAndTime, thousands, listed, clauses, nextSentence, fullStop, goesOn, named, priced

    // MARK: The frame

    case skipToContent, navigation, navStart, signOut, roleViewer, roleSupport, roleOwner, searchLabel,
        searchHint, find, show, sandbox, toStart

    // MARK: Sign-in

    case signIn, fieldName, fieldPassword, signInHint, signInWrong, signInWait, signInBusy, linkTitle,
        fieldNewPassword, fieldAgain, setPassword, passwordLength, passwordDiffers, linkOver, linkOverText,
        linkSet

    // MARK: Account

    case accountTitle, accountLink, accountSaved, passwordSaved, sessionsEnded, fieldLanguage, fieldZone,
        zoneHint, zoneWrong, fieldTheme, themeSystem, themeLight, themeDark, save, lookTitle, passwordTitle,
        fieldPresent, passwordHint, presentWrong, sessionsTitle, sessionsHint, columnBegan, columnUsed,
        columnEnds, thisSession, endSession, signOutEverywhere, endOthers

    // MARK: Problems

    case problemNotFound, problemNotFoundText, problemForbidden, problemForbiddenText, problemTooMany,
        problemTooManyText, problemUnavailable, problemUnavailableText, problemRequest, problemRequestText,
        problemOther, problemOtherText

    // MARK: Names of things

    case sourceApple, sourceCard, sourceManual, sourceApp, noTier, namePass, nameSandboxLength, namePlan, namePlanOnly,
        nameWindow, nameCredits, nobody, andMore, paidBack, app

    // MARK: The start page

    case startTitle, startHint, kindPerson, kindPersonText, kindAppleText, kindCardText, kindManualText,
        workTitle, oldest, workParked, workParkedText, workParkedNone, workDead, workDeadText, workDeadNone,
        workAnomalies, workAnomaliesText, workAnomaliesNone, workLate, workLateText, workLateNone,
        workConflicts, workConflictsText, workConflictsNone, latestTitle, latestNone, latestNoneHint

    // MARK: Search

    case searchTitle, searchFound, searchNothing, searchNothingText, searchMail, searchOrder, searchHintUser,
        searchHintTransaction, searchOrderOff, searchHintCard, foundUser, foundToken, foundCustomer,
        foundPurchase, foundGrant, foundTransaction, foundNumber, foundDelivery, purchaseOfNobody,
        purchaseOfNobodyText

    // MARK: Lists

    case navRunning, anyOfThem, clearFilters, dateHint, outageHint, filterFrom, filterTo, filterReason,
        filterEnvironment, filterEndsFrom, filterEndsTo, filterOrder, filterAct, filterMistyped, production,
        orderNewest, orderEnd, oneRow, rows, partlyLooked, firstPage, older, noneOnThisPage,
        noneOnThisPageHint, noneOfFilter, noneOfFilterHint, nothingWaits, backToList, erasedPerson, cancel,
        previewIt, showThem, columnCustomer, columnFromSource, columnSettles, columnMeanwhile, columnTries,
        columnGaveUp, columnDue, columnEnded, columnAccount, columnOwners, columnSince, columnBegun,
        columnRunEnded, columnAsked, columnFound, columnUnlisted, columnAskedAt, columnAnswer,
        columnFirstSeen, columnTier, columnAll, columnDay, columnUsers, columnName, columnScopes, columnMade,
        columnRole, columnPassword, columnSessions, columnActAndReason, columnDetails, columnGives,
        columnPrice, columnRank, columnDevices, columnFeatures, columnVersion, columnInForce, columnChanges,
        overviewTitle, overviewCurrent, overviewOverdue, overviewUsers, overviewSandbox, endingTitle,
        endingNone, endingNoneHint, endingSentence, endingTable, oneUser, userCount, usersTitle, usersText,
        usersNone, usersNoneHint, userActive, userGrace, userExpired, userNever, deliveriesListTitle,
        deliveriesText, deliveriesAllNone, deliveriesAllNoneHint, deliveryOtherContent, deliveryPending,
        deliveryNoUser, deliveryNoPurchase, deliveryInvalidUser, deliveryContradicted, deliveryRefundFailed,
        deliveryDisputed, deliveryUnpaid, deliveryThin, deliveryUnreadable, deliveryUnknownType,
        deliveryConsent, deliveryFailed, deliveryTextGone, typeRefund, typeRefundReversed,
        typeRefundDeclined, typeRevoke, typeQuestion, typeBought, typeSubscribed, typeRenewed,
        typeRenewalFailed, typeGraceOver, typeExpired, typeRenewalChanged, typeInvoicePaid,
        typeInvoiceFailed, replay, openBody, doneReplayed, doneNotReplayed, bodyTitle, bodyText, bodyPanel,
        bodyGone, bodyGoneHint, jobsWaitingTitle, jobsWaitingText, jobsWaitingNone, jobsWaitingNoneHint,
        jobDead, jobWaiting, jobDelivery, jobHistory, jobConsumption, jobAccountToken, jobLookup, jobChain,
        jobNotifications, revive, doneRevived, doneNotRevived, anomaliesText, anomalyUnknown,
        anomalyUnknownText, anomalyMismatch, anomalyMismatchText, anomalyQuarantined, anomalyQuarantinedText,
        anomalyFamily, anomalyFamilyText, anomalyRefund, anomalyRefundText, anomalyQuantity, anomalyQuantityText,
        anomalyPaid, anomalyPaidText,
        anomalyUnowned, anomalyUnownedText, anomalyUnreadable, anomalyUnreadableText, settleAddProduct, settleCompare,
        settleLook, settleDecide, settleBind, makeGood, madeGood, onePurchase, purchases, claimsRefused,
        testersTitle, testersText, testersNone, testersNoneHint, reconciliationsTitle, reconciliationsText,
        reconciliationsNone, reconciliationsNoneHint, runNotEnded, runOfOneUser, runOfAll, runSince,
        runRefused, runComplete, oneMissing, missing, runParts, refundsTitle, refundsText, refundsNone,
        refundsNoneHint, refundOpen, refundAnswered, refundUnanswered, refundDeadline, refundDelivered,
        refundNotDelivered, refundUsed, refundRefused, preferNothing, preferDecline, preferFull,
        preferProrated, silenceNotConfigured, silenceUnowned, silenceErased, silenceNoConsent,
        silenceRefunded, silenceLate, silenceRefused, compensationsTitle, compensationsText,
        compensationForm, compensationFrom, compensationTo, compensationHoursLabel, compensationHours,
        compensationTexts, compensationHighest, compensationAny, compensationReference,
        compensationReferenceHint, compensationReason, compensationTier, compensationEmpty,
        compensationWould, compensationDone, compensationPart, compensationCounts, compensationGoesOn,
        compensationGive, compensationNext, catalogueTitle, catalogueText, catalogueHow, sinceEver,
        catalogueProducts, oneProduct, products, productsNone, productsNoneHint, catalogueTiers,
        tierOfEverybody, catalogueVersions, notInForceYet, firstVersion, nothingChanged, furtherChanged,
        changeAdded, changeChanged, changeRemoved, kindPass, kindAddOn, kindConsumable, kindPlan, keysTitle,
        keysText, keysNone, keysNoneHint, keyValid, keyRevoked, revokeKey, revokeKeyAsk, keyMadeBefore,
        doneKeyRevoked, newKey, newKeyHint, newKeyRefused, scopeRead, scopeWrite, scopeAdmin, scopeAudit, makeKey,
        keyMade, keyMadeText, staffTitle, staffText, staffNone, staffDisabled, hasPassword, hasNoPassword, lastSeen,
        thisIsYou, roleOf, changeRole, changeRoleOf, signOutPerson, resetPassword, disablePerson,
        enableAgain, doneDisabled, doneRole, doneSignedOut, newPerson, makePerson, newPersonRefused,
        nameTaken, linkMade, linkMadeText, staffGone, auditTitle, auditText, auditNone, auditNoneHint,
        auditActorHint, auditCSV, auditCSVCut

    // MARK: Columns

    case columnNumber, columnWhat, columnWho, columnKind, columnSource, columnState, columnFrom, columnUntil,
        columnBought, columnPaid, columnLot, columnCredited, columnSpent, columnRefunded, columnHappened,
        columnWhen, columnLearned, columnCame, columnEffect, columnActor, columnAct

    // MARK: The customer

    case customer, firstSeen, neverSeen, asOfAt, asOfKnown, asOfNow, asOfMistyped, asOfBanner, asOfKnownBy,
        asOfKnownNow, backToNow, toldNow, toldThen, toldAhead

    // MARK: The verdict

    case noAccess, hadNoAccess, willHaveNoAccess, verdictHas, verdictHad, verdictWill, verdictRenews,
        verdictRenewedThen, verdictRenewalOff, verdictGrace, verdictHadGrace, verdictLeeway, verdictGiven,
        verdictAddOns, verdictHadAddOns, verdictSandbox, verdictHadSandbox, verdictSandboxFollow,
        verdictEnded, verdictNone, verdictToCome, verdictNothing, verdictNever, verdictNeverWhy, verdictThen,
        verdictElse, whyPass, whyGivenPass, whyNothingFollows, whyFollows, whyRenews, whyRenewalOff,
        whyGiven, whyGivenBy, whyRevokedBy, whyLeeway, whyGrace, whyPassThen, whyThen, whyElse, whyGraceBeside,
        whyLeewayBeside, endRefunded, endWithdrawn, endRanOut, endGift, endRanOutUnattached,
        endPaymentFailed, endTransferred, endPlan, endCancelled, endBilling, endPrice, endUnavailable,
        whyTakenBack, whyTakenBackWhole, whyRanOut, whyRanOutUnattached, whyPaymentFailed, whyPlanEnded,
        whyTransferred

    // MARK: Reasons

    case reasonRefunded, reasonWithdrawn, reasonRefundedAfterUse, reasonFinished,
        reasonEndedBeforeAttached, reasonQueuedBehind, reasonPausedUnder, reasonSandboxNotAllowed,
        reasonRequiresTier, reasonFamilyShared, reasonSuperseded, reasonUnknownProduct, reasonTypeMismatch,
        reasonQuarantined, reasonTransferred

    // MARK: What would change it

    case changeTitle, changeRelative, changePurchase, changeReversal, changeNotReversal, changeGift,
        changePayment, changeTransfer, changeMakeGood, changeCatalogue, changeLook, changeTester,
        changeSearch, changeWait

    // MARK: The lane

    case laneTitle, laneEmpty, laneEmptyHint, laneAccess, laneAccessNote, laneSince, laneOlder, lanePlans,
        lanePasses, lanePassesOf, passesByTier, laneToday, laneAsOf, laneStretch, laneSentence, rangeAround,
        rangeYear, rangeAll, tierPasses, cutOffOf, countRunning, countToCome, countPaused, noteCutOff,
        noteLeft, noteNotCounted, labelFrom, labelTo, labelTier, sameAsTableOne, sameAsTable, barRunning,
        barToCome, barFinished, barWaiting, barPaused, barCutOff, barPaid, barGrace, barRetried,
        barSuspended, nextTitle, nextChange, nextEnds, nextRenews, nextEndsUnless, nextChangeUnless,
        nextRenewsElse, nextBegins

    // MARK: Purchases

    case entitlementsTitle, entitlementsNote, entitlementsNone, entitlementsNoneHint, olderPurchases,
        stateRunning, stateActive, stateQueued, statePaused, stateFinished, stateRevoked, stateRefunded,
        stateGrace, stateRetry, stateSuspended, stateRecorded, noteLasts, noteDaysLeft, noteRenews, noteRenewalOff,
        nothingTitle, nothingNone, nothingNoneHint, creditsTitle, creditsNone, creditsNoneHint, owed, left,
        debtText, reservedText

    // MARK: Facts and deliveries

    case factBought, factFamily, factPeriod, factToldAgain, factReversed, factRefunded, factRefundedPart,
        factRefundUnclear, factBillPaid, factBillFailed, billWithoutNumber, renewsOn, renewsInto, renewsNot,
        renewalRetried, renewalGrace, renewalCancelled, renewalBilling, renewalPrice, renewalUnavailable,
        renewalEnded, renewalEndedBecause, pricePending, priceGiven, factBound, factGranted, giftPass,
        giftWindow, giftCreditsUntil, factWithdrawn, factGaveAway, factReceived, handoverRan, handoverUnits,
        handoverPolicy, handoverOperator, handoverMerge, handoverAdopt, handoverReclaim, factSpent, factReserved,
        factCommitted, factReleased, factDeviceRegistered, factDeviceSuspended, factDeviceReactivated,
        factDeviceSeen, factDeviceRemoved, factTester, factNoTester, factConsent, factNoConsent

    // MARK: Entries of the trail

    case didCreateKey, didRevokeKey, didRotateKey, didApplyCatalogue, didGive, didWithdrawGrant, didBind,
        didWithdrawPurchase, didTransfer, didMerge, didSignOutUser, didErase, didNameTester, didUnnameTester, didSpend,
        didReserve, didCommit, didRelease, didRegisterDevice, didReactivateDevice, didSuspendDevice,
        didSeeDevice, didRemoveDevice, didReplay, didRevive, didLookUp, didCreateStaff, didResetStaff,
        didDisableStaff, didSetPassword, didSignIn, didSignOut, didSignOutEverywhere, didSlow,
        didOpenDelivery, didChangeRole, actorKey, actorCommandLine

    // MARK: Devices and history

    case devicesTitle, seatsUsed, devicesNone, devicesNoneHint, deviceActive, deviceSuspendedByUser,
        deviceSuspendedByLimit, deviceSeen, devicePinned, timelineTitle, timelineNote, timelineNone,
        timelineNoneHint, olderFacts, atOnce, later, byActor, quoted, relatedTitle, relatedNone,
        relatedNoneHint, sameAccount, accountToken, deliveriesTitle, deliveriesNone, deliveriesNoneHint,
        effectApplied, effectDuplicate, effectIgnored, effectParked, effectQuarantined, actsTitle, actsNone,
        actsNoneHint

    // MARK: Acts

    case allActs, optional, yes, no, toField, toEntitlements, doneBanner, formTitle, presentTitle,
        previewTitle, previewAside, previewButton, previewAgain, previewAfter, previewAfterOther,
        previewNothing, previewOutdated, previewTold, previewLane, columnBefore, columnAfter, columnChange,
        columnActs, columnRows, erasedParts, erasedUser, erasedTokens, erasedStandings,
        erasedWalks, erasedQuestions, erasedClaims, erasedLookups, erasedNotes, erasedAudit, erasedSigned, erasedBodies,
        erasedAnswers, changeSame, changeOther, rowTier, rowTierUntil, rowAccessUntil, rowSeats,
        rowPurchases, rowSandbox, noteNew, noteUnchanged, noteMovesBack, noteMovesUp, fieldTier, fieldDays,
        fieldUntil, fieldProduct, fieldUnit, fieldAmount, fieldExpiry, fieldReason, fieldReference,
        fieldPurchase, fieldReceiver, fieldGuest, fieldUser, fieldDevice, fieldTyped, daysHint, daysQueue,
        amountHint, instantHint, reasonHint, referenceHint, receiverHint, guestHint, userHint, typedHint,
        refusedReason, refusedReference, refusedUser, refusedSameUser, refusedGuest, refusedPurchase,
        refusedAmbiguous, refusedOwned, refusedErased, refusedTier, refusedProduct, refusedUnit,
        refusedInstant, refusedNotLate, refusedDebt, refusedCredits, refusedReused, refusedDevice, refusedTyped,
        refusedNobody, refusedNothing, problemUnderWay, problemUnderWayText, actGiveDays, actGiveDaysText,
        actGiveUntil, actGiveUntilText, actGiveAddOn, actGiveAddOnText, actGiveCredits, actGiveCreditsText,
        actMakeGood, actMakeGoodText, actRevoke, actRevokeText, actTransfer, actTransferText, actMerge,
        actMergeText, actBind, actBindText, actNameTester, actNameTesterText, actUnnameTester,
        actUnnameTesterText, actRemoveDevice, actRemoveDeviceText, actSignOut, actSignOutText,
        actSpendCredits, actSpendCreditsText,
        actErase, actEraseText, giveDaysButton, giveDaysDone, giveUntilButton, giveUntilDone,
        giveAddOnButton, giveAddOnDone, giveCreditsButton, giveCreditsDone, makeGoodButton, makeGoodDone,
        revokeButton, revokeDone, revokePlanButton, revokePlanDone, transferAll, transferButton, transferDone,
        mergeButton, mergeDone,
        bindButton, bindDone, signOutDone, nameTesterDone, unnameTesterDone, removeDeviceButton, removeDeviceDone,
        spendCreditsButton, spendCreditsDone, eraseButton, eraseDone, linkRevoke, linkTransfer, moveFrom,
        linkTester, linkRemove, linkGive, linkTake, askApple, orderTitle, orderFound, orderNone,
        orderNoneHint, orderPaid
}
